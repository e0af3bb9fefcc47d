// What a job's ranks and `mscale run` say when the job is to end.
#include <csignal>
#include <memory>
#include <vector>

#include "base/json.hpp"
#include "daemon/keeper/keeper.hpp"

namespace mscale::daemon {

void Keeper::on_ending(const Program& program, const std::string& op, const Json& packet)
{
    const auto signal = read_member<std::uint32_t>(packet, "signal", "a packet");
    const auto step = read_member<std::uint64_t>(packet, "step", "a packet");
    if (op == "end" && signal && *signal < NSIG) exits_.notice(program.owner.job_id, program.owner.incarnation, *signal);
    if (op == "at" && step) exits_.announce(program.owner, *step);
}

void Keeper::push(std::uint32_t job_id, const recovery::Incarnation& run, std::optional<std::uint32_t> rank,
                  const Json& event)
{
    std::vector<std::shared_ptr<RankChannel>> channels; // one that can't be sent to takes its program out of the map
    for (const auto& [id, program] : programs_)
        if (program.joined && program.owner.job_id == job_id && program.owner.incarnation == run &&
            (!rank || program.owner.rank == *rank))
            channels.push_back(program.channel);
    for (const auto& channel : channels) channel->send(event);
}

/// A rank that joins when its job is known to end hears it, too.
std::optional<Json> Keeper::ending_event(const recovery::Owner& owner) const
{
    const auto exit = exits_.exit_of(owner.job_id);
    if (!exit || exit->run != owner.incarnation) return std::nullopt;
    return exit->step ? Json{{"event", "exit"}, {"step", *exit->step}}
                      : Json{{"event", "ending"}, {"signal", exit->signal}};
}

} // namespace mscale::daemon
