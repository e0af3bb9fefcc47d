// From a sealed slot to the commit of the job's snapshot.
#include <algorithm>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/keeper/keeper.hpp"
#include "daemon/keeper/messages.hpp"
#include "recovery/placement.hpp"

namespace mscale::daemon {

namespace {

Prepared prepared_of(const recovery::Owner& owner, std::uint64_t epoch, std::uint64_t step)
{
    return {owner.job_id, owner.incarnation, owner.ranks, owner.rank, epoch, step};
}

/// What a program that skips an epoch still holds; nothing from one that was built before it was asked to say so.
std::vector<std::uint64_t> read_held(const Json& packet)
{
    std::vector<std::uint64_t> held;
    const auto list = packet.find("held");
    if (list == packet.end() || !list->is_array() || list->size() > recovery::SegmentLayout::slots) return held;
    for (const Json& epoch : *list)
        if (epoch.is_number_unsigned()) held.push_back(epoch.get<std::uint64_t>());
    return held;
}

} // namespace

void Keeper::on_sealed(ProgramId id, const Json& packet)
{
    Program& program = programs_[id];
    const auto slot = read_member<unsigned>(packet, "slot", "a packet");
    const auto epoch = read_member<std::uint64_t>(packet, "epoch", "a packet");
    if (!slot || !epoch || *slot >= recovery::SegmentLayout::slots)
        return refuse(id, failure(Code::save_order, "a sealed slot without its number or epoch").value());
    const std::vector<std::string> partners = partners_of(program).nodes;
    keepers_.locate(partners, [this, id, own = program.own, slot = *slot, epoch = *epoch,
                               promised = partners.size()](auto addresses) {
        carrier_.copy_out(own, slot, epoch, std::move(addresses),
                          [this, id, slot, promised, own, epoch](const Result<Carrier::Copied>& copied) {
                              if (!copied) return give_up(own, epoch, copied.error());
                              on_copied(id, slot, promised, *copied);
                          });
    });
}

Keeper::Partners Keeper::partners_of(const Program& program) const
{
    std::vector<recovery::KeeperPlace> places;
    for (const std::string& node : keepers_.nodes(program.owner.job_id)) places.push_back({node, keepers_.domain_of(node)});
    const auto self = std::ranges::find(places, keepers_.self(), &recovery::KeeperPlace::node);
    const auto placement = recovery::spread_copies(places, contract::count_copies(program.ft));
    if (!placement || self == places.end()) return {};
    const auto at = static_cast<std::size_t>(self - places.begin());
    return {(*placement)[at], recovery::find_exposure(places, *placement, at)};
}

std::string Keeper::exposure_of(std::uint32_t job_id) const
{
    for (const auto& [id, program] : programs_) {
        if (!program.joined || program.owner.job_id != job_id) continue;
        if (contract::coding_scheme_of(program.ft).members > 0) return coder_.exposure_of(job_id);
        return partners_of(program).exposure;
    }
    return "";
}

/// The program wrote over what it had sealed: no other rank need wait for it.
void Keeper::give_up(const std::shared_ptr<HeldSegment>& own, std::uint64_t epoch, const Error& error)
{
    log_error(format("job {} rank {} epoch {}", own->owner.job_id, own->owner.rank, epoch), error);
    tell_coordinator("skip", own, to_json(Skipped{prepared_of(own->owner, epoch, 0), {}}));
}

void Keeper::on_copied(ProgramId id, unsigned slot, std::size_t promised, const Carrier::Copied& copied)
{
    const auto found = programs_.find(id);
    if (found == programs_.end()) return;
    Program& program = found->second;
    for (const Error& error : copied.failures)
        log_error(format("job {} rank {} epoch {}", program.own->owner.job_id, program.own->owner.rank,
                         copied.header.epoch),
                  error);
    SegmentStore::seal(*program.own, slot, copied.header);
    const std::size_t wanted = std::max<std::size_t>(promised, contract::count_copies(program.ft));
    program.own->memory.view().set_degraded(copied.held_by.size() < wanted);
    if (contract::coding_scheme_of(program.ft).members > 0) return coder_.seal(coded_run_of(program), program.own, copied.header);
    hold_as_promised(program, copied.header);
}

void Keeper::hold_as_promised(Program& program, const recovery::SlotHeader& header)
{
    const bool first = program.prepared == 0;
    program.prepared = header.epoch;
    program.prepared_step = header.step;
    if (first) kept_(program.own->owner.job_id);
    prepare(program);
}

void Keeper::prepare(const Program& program)
{
    tell_coordinator("prepare", program.own,
                     to_json(prepared_of(program.own->owner, program.prepared, program.prepared_step)));
}

void Keeper::on_skipped(const Program& program, const Json& packet)
{
    const auto epoch = read_member<std::uint64_t>(packet, "epoch", "a packet");
    const auto step = read_member<std::uint64_t>(packet, "step", "a packet");
    if (!epoch || !step) return;
    const Skipped skipped{prepared_of(program.own->owner, *epoch, *step), read_held(packet)};
    tell_coordinator("skip", program.own, to_json(skipped));
}

void Keeper::tell_coordinator(const std::string& op, const std::shared_ptr<HeldSegment>& own, const Json& said)
{
    keepers_.ask_coordinator(own->owner.job_id, op, said, [this, own, op](const Result<Json>& answer) {
        if (answer) take_commit(*own, *answer);
        const auto abandoned = answer ? read_member<std::uint64_t>(*answer, "abandoned", "an answer")
                                      : tl::unexpected(answer.error());
        if (abandoned) return own->memory.view().set_abandoned_epoch(*abandoned);
        if (abandoned.error().code != Code::peer) // silence: it is said again
            log_error(format("job {} rank {}: {} of an epoch", own->owner.job_id, own->owner.rank, op),
                      abandoned.error());
    });
}

/// The word of this commit was lost where the daemon of this node was away, or that of the coordinator's.  It comes before what
/// is abandoned: else the rank would write over a part of it.
void Keeper::take_commit(HeldSegment& own, const Json& answer)
{
    const auto record = recovery::commit_from_json(read_member<Json>(answer, "commit", "an answer").value_or(Json()), "an answer");
    if (!record || record->epoch <= own.memory.view().committed_epoch()) return;
    {
        const std::scoped_lock lock(own.mutex);
        if (own.owner.incarnation != record->incarnation) return;
    }
    keep(recovery::to_json(*record), true, [](const Json&) {});
}

void Keeper::prepare_again()
{
    coder_.again();
    for (const auto& [id, program] : programs_)
        if (program.joined && program.prepared > program.own->memory.view().committed_epoch())
            prepare(program);
}

/// One rank alone goes by its own clock.
void Keeper::name_saves()
{
    for (const auto& [id, program] : programs_)
        if (program.joined && !program.parted && program.owner.rank == 0 && program.owner.ranks > 1 && program.ft.every_time)
            timed_.look({program.owner.job_id, program.owner.incarnation, program.owner.ranks, *program.ft.every_time},
                        std::chrono::steady_clock::now());
}

} // namespace mscale::daemon
