// What a job's ranks and `mscale run` say when the job is to end, and ranks that end by themselves.
#include <csignal>
#include <memory>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

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

/// A program that left, that was refused or that ended well by itself is none that its run has lost.
void Keeper::on_program_end(ProgramId id)
{
    auto ended = programs_.extract(id);
    if (!ended) return;
    Program& program = ended.mapped();
    if (program.own && program.left) return gone_.wait_for_end(program.owner, std::move(program.task));
    if (!program.own || program.parted || program.exit_status == 0U) return;
    gone_.wait(program.owner, std::move(program.task), program.exit_status.value_or(0));
}

void Keeper::kill_programs(std::uint32_t job_id, const recovery::Incarnation& run) const
{
    for (const auto& [id, program] : programs_)
        if (program.own && program.process && program.owner.job_id == job_id && program.owner.incarnation == run)
            ::syscall(SYS_pidfd_send_signal, program.process.number(), SIGKILL, nullptr, 0);
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
