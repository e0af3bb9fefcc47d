// ft.redundancy: from the groups of a run to a coded part beside each rank's snapshot.
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/keeper/keeper.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

GroupCoder::Run Keeper::coded_run_of(const Program& program)
{
    return {program.owner.job_id, program.owner.incarnation, program.owner.ranks, contract::coding_scheme_of(program.ft)};
}

GroupCoder::Hooks Keeper::coding_hooks()
{
    return {[this](std::uint32_t job_id, const recovery::Incarnation& run) { return local_ranks(job_id, run); },
            [this](std::uint64_t room) { return admit_room(room); },
            [this](const auto& own, const recovery::SlotHeader& shard, const Result<void>& made) { on_coded(own, shard, made); }};
}

void Keeper::answer_coder(const std::string& op, const Json& body, const Keepers::Answer& answer)
{
    const auto job_id = read_member<std::uint32_t>(body, "job", "the request");
    if (!job_id) return answer(error_to_json(job_id.error()));
    if (!jobs_.find(*job_id)) // else a word that comes after the job's end would be held for ever
        return answer(error_to_json(failure(Code::no_such_job, format("job {} isn't on this node", *job_id)).value()));
    coder_.answer(op, body, answer);
}

std::vector<std::uint32_t> Keeper::local_ranks(std::uint32_t job_id, const recovery::Incarnation& run) const
{
    std::vector<std::uint32_t> ranks;
    for (const auto& [id, program] : programs_)
        if (program.own && program.owner.job_id == job_id && program.owner.incarnation == run)
            ranks.push_back(program.owner.rank);
    return ranks;
}

/// A run whose ranks can't be kept apart isn't begun.
void Keeper::place_groups(ProgramId id, const std::function<void()>& then)
{
    const Program& program = programs_.at(id);
    if (contract::coding_scheme_of(program.ft).members == 0) return then();
    coder_.place(coded_run_of(program), [this, id, then](const Result<void>& placed) {
        if (!programs_.contains(id)) return;
        if (!placed) return refuse(id, placed.error());
        then();
    });
}

/// What the run goes on from is coded again where a node that held a part of it is gone.  What ft.resume brought is another
/// job's, and stays as it was found until this one has saved.
void Keeper::code_restored(const Program& program, const RestorePoint& point)
{
    if (contract::coding_scheme_of(program.ft).members == 0 || point.job_id != program.owner.job_id) return;
    std::unique_lock lock(program.own->mutex);
    const auto header = program.own->sealed[point.slot];
    lock.unlock();
    if (header && header->epoch == point.epoch) coder_.seal(coded_run_of(program), program.own, *header);
}

void Keeper::on_coded(const std::shared_ptr<HeldSegment>& own, const recovery::SlotHeader& shard, const Result<void>& made)
{
    own->memory.view().set_degraded(!made);
    if (!made) return;
    if (const auto record = committed_of(own->owner.job_id); record && record->epoch == shard.epoch)
        store_.commit(own->owner.job_id, shard.epoch);
    for (auto& [id, program] : programs_)
        if (program.joined && program.own == own && program.owner.incarnation == shard.owner.incarnation &&
            program.prepared < shard.epoch)
            return hold_as_promised(program, shard);
}

} // namespace mscale::daemon
