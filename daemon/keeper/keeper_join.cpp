// From the join of a program to the answer that lets it start.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "contract/last_snapshot.hpp"
#include "contract/parse.hpp"
#include "daemon/keeper/keeper.hpp"
#include "daemon/keeper/piece_packet.hpp"
#include "daemon/mscaled/message.hpp"
#include "daemon/mscaled/role_process.hpp"
#include "recovery/admission.hpp"
#include "recovery/coded_part.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::milliseconds run_interval{50};
constexpr std::uint64_t most_state_bytes = std::uint64_t{1} << 50;

std::uint64_t free_memory()
{
    const auto text = Root().read("/proc/meminfo");
    if (!text) return 0;
    const std::size_t at = text->find("MemAvailable:");
    if (at == std::string::npos) return 0;
    const std::string_view rest = trim(std::string_view(*text).substr(at + 13));
    return parse_number(rest.substr(0, rest.find(' '))).value_or(0) << 10;
}

std::chrono::milliseconds read_wall_clock()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
}

/// How the snapshots' data travel by the contract; its ports are those that the plan gave this node.
std::optional<recovery::VerbsTerms> read_terms(const contract::Rdma& rdma, const contract::LedgerRecord& record)
{
    if (rdma == contract::Rdma()) return std::nullopt;
    recovery::VerbsTerms terms;
    terms.ports = record.plan.ports;
    terms.retry_count = rdma.retry_count.value_or(terms.retry_count);
    terms.window = rdma.credit_window.value_or(terms.window);
    return terms;
}

/// What the plugin recorded of the Slurm task that a rank is in; pid 0 where it didn't.
ProcessId find_task(const LocalJob& job, const Ancestry& ancestry)
{
    for (const contract::TaskRecord& task : job.tasks)
        if (task.role.empty() && task.step_id == ancestry.step_id && task.local_id == ancestry.local_id && is_alive(task.process))
            return task.process;
    return {};
}

Fd open_process(pid_t pid)
{
    return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

Fd open_task(const ProcessId& task)
{
    Fd opened = open_process(task.pid);
    return is_alive(task) ? std::move(opened) : Fd();
}

Json restore_to_json(const RestorePoint& point)
{
    Json restore = {{"slot", point.slot}, {"epoch", point.epoch}, {"step", point.step}, {"job", point.job_id}};
    if (point.apart)
        restore["writers"] = {{"ranks", point.apart->ranks},
                              {"restarts", point.apart->incarnation.restarts},
                              {"step_id", point.apart->incarnation.step}};
    return restore;
}

template <class T> Json or_null(const std::optional<T>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

} // namespace

void Keeper::on_join(ProgramId id, const Json& packet)
{
    auto join = read_join(programs_[id].asker, packet);
    if (!join && join.error().code == Code::deadline) // slurmctld is being asked
        return void(loop_.after(run_interval, [this, id, packet] {
            if (programs_.contains(id)) on_join(id, packet);
        }));
    if (!join) return refuse(id, join.error());
    programs_[id].ft = join->ft;
    programs_[id].verbs = join->verbs;
    programs_[id].owner = join->owner;
    programs_[id].process = open_process(programs_[id].asker.pid);
    programs_[id].task = open_task(join->task);
    programs_[id].elastic = read_member<bool>(packet, "elastic", "a join").value_or(false);
    const bool again = read_member<bool>(packet, "have", "a join").value_or(false);
    if (!again) look_ahead(join->owner);
    memory_.run<Result<std::shared_ptr<HeldSegment>>>(
        [this, join = *join] { return reserve(join); },
        [this, id, again](const Result<std::shared_ptr<HeldSegment>>& own) { on_memory(id, again, own); });
}

Result<Keeper::Join> Keeper::read_join(const Asker& asker, const Json& packet) const
{
    const auto rank = read_member<std::uint32_t>(packet, "rank", "a join");
    const auto ranks = read_member<std::uint32_t>(packet, "ranks", "a join");
    const auto state = read_member<std::uint64_t>(packet, "state_bytes", "a join");
    if (!rank || !ranks || !state)
        return failure(Code::save_order, "a join without rank, ranks or state_bytes");
    if (*rank >= *ranks || *ranks > recovery::most_ranks)
        return failure(Code::rank_unclear, format("rank {} of {}", *rank, *ranks));
    const auto ancestry = find_ancestry(asker.pid, jobs_.places(), ProcessReader{});
    if (!ancestry) return tl::unexpected(ancestry.error());
    const LocalJob* job = jobs_.find(ancestry->job_id);
    if (!job || job->record.uid != asker.uid)
        return failure(Code::not_yours, "the process belongs to another user's job");
    const auto parsed =
        contract::parse_contract(job->record.contract, "ledger", contract::ProfileDirectory(site_.profiles));
    if (!contract::keeps_snapshots(parsed.contract.ft))
        return failure(Code::no_such_job, "the contract of the job has no [ft]");
    if (!job->restarts) return failure(Code::deadline, "which run of the job this is isn't known yet");
    const std::uint64_t bytes = *state ? *state : parsed.contract.ft.state.value_or(0);
    if (bytes == 0 || bytes > most_state_bytes)
        return failure(Code::save_order,
                       "the size of the state is given neither by the program nor by ft.state",
                       "set ft.state, or state_bytes of mscale_init");
    return Join{
        {job->record.job_id, job->record.uid, *rank, *ranks, {*job->restarts, ancestry->step_id}},
        parsed.contract.ft,
        read_terms(parsed.contract.rdma, job->record),
        bytes,
        find_task(*job, *ancestry)};
}

/// What the site still allows on this node.
std::uint64_t Keeper::room_left() const
{
    if (memory_limit_ == 0) return std::numeric_limits<std::uint64_t>::max();
    return memory_limit_ - std::min(memory_limit_, store_.count_bytes(0));
}

Result<std::shared_ptr<HeldSegment>> Keeper::reserve(const Join& join)
{
    const auto held = store_.find(join.owner, SegmentStore::Kind::own);
    const contract::CodingScheme scheme = contract::coding_scheme_of(join.ft);
    const recovery::RoomQuestion question{join.state_bytes, 4096, 1, contract::count_copies(join.ft), scheme};
    if (!held && !store_.take_copy(join.owner, join.state_bytes))
        if (auto room = recovery::admit_snapshots(question, room_left(), free_memory()); !room)
            return tl::unexpected(std::move(room.error()));
    if (!held)
        if (auto room = admit_to_job_of(join.owner, question, count_promised(join)); !room)
            return tl::unexpected(std::move(room.error()));
    auto own = store_.provide(join.owner, join.state_bytes, SegmentStore::Kind::own);
    // Memory for a coded part is as large as the group's largest member needs: what an earlier run left is kept.
    const bool coded_before = store_.find(join.owner, SegmentStore::Kind::coded) != nullptr;
    if (!own || scheme.members == 0 || coded_before) return own;
    const std::uint64_t coded = recovery::count_coded_room(scheme, (*own)->memory.view().layout().data_bytes);
    auto made = store_.provide(join.owner, coded, SegmentStore::Kind::coded);
    return made ? own : made;
}

Result<void> Keeper::admit_copy(const recovery::Announcement& announced) const
{
    if (store_.find(announced.owner, SegmentStore::Kind::copy)) return {};
    const recovery::RoomQuestion question{announced.capacity, 4096, 1, 0};
    if (auto room = admit_to_job_of(announced.owner, question, 0); !room) return room;
    return admit_room(announced.capacity);
}

/// Where the contract doesn't say ft.state, so that nothing was told at submit: what the last snapshot needs against the shortest
/// notice.
std::string Keeper::grace_lacking(std::uint32_t job_id) const
{
    contract::Ft ft;
    unsigned ranks = 0;
    for (const auto& [id, program] : programs_) {
        if (!program.own || program.owner.job_id != job_id || program.ft.state) continue;
        const std::uint64_t bytes = std::max(ft.state.value_or(0), program.own->memory.view().layout().data_bytes);
        ft = program.ft;
        ft.state = bytes;
        ++ranks;
    }
    const auto needed = contract::estimate_last_snapshot(ft, ranks, site_.recovery_rate);
    const auto kill_wait = keepers_.kill_wait();
    if (!needed || !kill_wait) return "";
    const LocalJob* job = jobs_.find(job_id);
    const auto notice = contract::find_least_notice(job ? job->record.notice : contract::Notice(), *kill_wait);
    if (needed->together() <= notice.time) return "";
    return format("{:.1f}s_needed_of_{}s_({})", static_cast<double>(needed->together().count()) / 1000, notice.time.count(),
                  notice.of);
}

/// Of a job without a limit on this node there is nothing to say.
Result<void> Keeper::admit_to_job_of(const recovery::Owner& owner, const recovery::RoomQuestion& question,
                                     std::uint64_t promised) const
{
    const auto memory = charge_.limit_of(owner.job_id, owner.uid);
    if (!memory) return {};
    return recovery::admit_to_job(question, {memory->limit_bytes, memory->used_bytes, promised});
}

/// The copies that will lie here are as many as the node's own ranks ask for: what of them hasn't come yet.
std::uint64_t Keeper::count_promised(const Join& join) const
{
    const std::uint32_t job_id = join.owner.job_id;
    const std::uint64_t wanted =
        store_.count_bytes(job_id, SegmentStore::Kind::own) * contract::count_copies(join.ft);
    return wanted - std::min(wanted, store_.count_bytes(job_id, SegmentStore::Kind::copy));
}

/// Two slots of so many bytes each.
Result<void> Keeper::admit_room(std::uint64_t capacity) const
{
    const auto room = recovery::admit_snapshots({capacity, 4096, 1, 0}, room_left(), free_memory());
    if (!room) return tl::unexpected(room.error());
    return {};
}

void Keeper::on_memory(ProgramId id, bool again, const Result<std::shared_ptr<HeldSegment>>& own)
{
    if (!programs_.contains(id)) return;
    if (!own) return refuse(id, own.error());
    programs_[id].own = *own;
    spills_[(*own)->owner.job_id].place = place_of((*own)->owner.job_id);
    {
        const std::scoped_lock lock((*own)->mutex);
        if ((*own)->verbs != programs_[id].verbs) (*own)->verbs = programs_[id].verbs;
    }
    progress_.join(programs_[id].owner);
    gone_.stop_waiting(programs_[id].owner);
    kept_((*own)->owner.job_id);
    // A rank in the middle of its training, whose mscaled began anew, waits for no other and goes on from nothing else.
    if (again) return welcome(programs_[id], std::nullopt);
    start_of((*own)->owner).add(*own, programs_[id].elastic, [this, id](const Result<std::optional<RestorePoint>>& point) {
        on_started(id, point);
    });
}

/// While its memory is being reserved, which may refuse it: a rank of an older run must not take a newer one's place.
void Keeper::look_ahead(const recovery::Owner& owner)
{
    const auto found = starts_.find(owner.job_id);
    if (found == starts_.end() || !(owner.incarnation < found->second->run().incarnation)) start_of(owner).look_ahead();
}

RunStart& Keeper::start_of(const recovery::Owner& owner)
{
    const RunStart::Run run{owner.job_id, owner.incarnation, owner.ranks};
    std::shared_ptr<RunStart>& start = starts_[owner.job_id];
    if (!start || start->run() != run) start = std::make_shared<RunStart>(loop_, keepers_, carrier_, run, place_of(run.job_id));
    return *start;
}

void Keeper::on_started(ProgramId id, const Result<std::optional<RestorePoint>>& point)
{
    const auto found = programs_.find(id);
    if (found == programs_.end()) return;
    if (!point) return refuse(id, point.error());
    place_groups(id, [this, id, point = *point] {
        Program& program = programs_.at(id);
        program.own->memory.view().set_committed_epoch(point ? point->epoch : 0);
        program.own->memory.view().set_abandoned_epoch(0); // what was of an earlier run
        welcome(program, point);
    });
}

void Keeper::welcome(Program& program, const std::optional<RestorePoint>& point)
{
    const HeldSegment& own = *program.own;
    const auto layout = own.memory.view().layout();
    program.joined = true;
    progress_.reach(program.owner, point ? point->step : 0);
    if (!point) progress_.restore(program.owner, read_wall_clock());
    const auto channel = program.channel; // one that can't be sent to takes its program out of the map
    const auto ending = ending_event(program.owner);
    channel->send(
        ok_with({{"data_bytes", layout.data_bytes},
                 {"page_bytes", 4096},
                 {"job", own.owner.job_id},
                 {"uid", own.owner.uid},
                 {"restarts", own.owner.incarnation.restarts},
                 {"step_id", own.owner.incarnation.step},
                 {"next_epoch", point ? point->epoch + 1 : 1},
                 {"every_steps", or_null(program.ft.every_steps)},
                 {"every_ms", program.ft.every_time ? Json(program.ft.every_time->count()) : Json(nullptr)},
                 {"ops", Json::array({"restored", "at", "ended"})}, // what the library may tell beyond the first protocol
                 {"restore", point ? restore_to_json(*point) : Json()}}),
        own.memory.descriptor());
    if (ending) channel->send(*ending);
}

void Keeper::on_read(ProgramId id, const Json& packet)
{
    const Program& program = programs_[id];
    const auto request = piece_request_from_json(packet);
    if (!request) return refuse(id, request.error());
    start_of(program.own->owner).read(program.own->owner.rank, *request, [channel = program.channel](const Result<void>& read) {
        channel->send(read ? ok_with() : error_to_json(read.error()));
    });
}

void Keeper::on_taken(ProgramId id, const Json& packet, bool valid)
{
    const Program& program = programs_[id];
    const auto epoch = read_member<std::uint64_t>(packet, "epoch", "a packet");
    if (!epoch) return refuse(id, epoch.error());
    RunStart& start = start_of(program.own->owner);
    const std::uint32_t rank = program.own->owner.rank;
    const auto started = [this, id, owner = program.owner,
                          taken = valid ? *epoch : 0](const Result<std::optional<RestorePoint>>& point) {
        const bool settled = point && *point && (*point)->epoch == taken;
        if (settled) progress_.restore(owner, read_wall_clock());
        on_started(id, point);
        if (settled && programs_.contains(id)) code_restored(programs_.at(id), **point);
    };
    if (valid)
        start.confirm(rank, *epoch, started);
    else
        start.reject(rank, *epoch, started);
}

} // namespace mscale::daemon
