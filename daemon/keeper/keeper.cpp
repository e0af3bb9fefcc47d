#include "daemon/keeper/keeper.hpp"

#include <array>
#include <algorithm>
#include <utility>

#include <poll.h>
#include <sys/socket.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "contract/kept_job.hpp"
#include "daemon/mscaled/listener.hpp"
#include "daemon/mscaled/message.hpp"
#include "recovery/timing.hpp"

namespace mscale::daemon {

namespace {

constexpr std::size_t most_programs = 4096; // of one node
constexpr std::chrono::milliseconds prepare_interval{500};
constexpr std::chrono::milliseconds holder_interval{1000}, naming_interval{100};
constexpr std::array<std::string_view, 11> operations = {"prepare", "skip",      "restore", "keep",   "committed", "hold",
                                                         "drop",    "snapshots", "spilled", "settle", "files"};

/// How many ranks the newest run has of which a segment is held.
std::uint32_t count_newest_ranks(const std::vector<SegmentStore::Entry>& entries)
{
    recovery::Owner newest;
    for (const SegmentStore::Entry& entry : entries) {
        const std::scoped_lock lock(entry.segment->mutex);
        if (newest.ranks == 0 || newest.incarnation < entry.segment->owner.incarnation) newest = entry.segment->owner;
    }
    return newest.ranks;
}

} // namespace

Result<Keeper::Sockets> Keeper::open_sockets(const contract::Site& site)
{
    auto programs = listen_for_ranks(site.state + "/keeper.sock");
    if (!programs) return tl::unexpected(std::move(programs.error()));
    auto snapshots = listen_tcp(site.recovery_port);
    if (!snapshots) return tl::unexpected(std::move(snapshots.error()));
    return Sockets{std::move(*programs), std::move(*snapshots)};
}

Keeper::Keeper(Loop& loop, const contract::Site& site, const Jobs& jobs, Keepers::Network network,
               const recovery::Introduction& introduction, Sockets sockets, const Helpers& helpers, Kept kept)
    : loop_(loop), site_(site), jobs_(jobs), socket_(std::move(sockets.programs)), kept_(std::move(kept)),
      memory_limit_(site.recovery_memory), holder_(site.state + "/holder.sock", helpers.holder),
      charge_(helpers.charge),
      store_([this](HeldSegment& segment, SegmentStore::Kind kind) { give_to_holder(holder_, segment, kind); },
             [this](const recovery::Owner& owner, int descriptor, std::uint64_t bytes) {
                 return charge_.reserve(owner, descriptor, bytes);
             }),
      records_(adopt_held(holder_, store_)),
      keepers_(
          std::move(network),
          [&jobs](std::uint32_t job_id) {
              const LocalJob* job = jobs.find(job_id);
              return job ? job->record.nodes : std::vector<std::string>();
          },
          [this](const std::string& op, const Json& body, const Keepers::Answer& reply) {
              answer(op, body, reply);
          }),
      coordinator_(keepers_, [this](std::uint32_t job_id) { return terms_of(job_id); }),
      exits_(keepers_, [this](std::uint32_t job_id, const recovery::Incarnation& run, std::optional<std::uint32_t> rank,
                              const Json& event) { push(job_id, run, rank, event); }),
      timed_(keepers_, [this](std::uint32_t job_id) { return progress_of(job_id); },
             [this](std::uint32_t job_id, const recovery::Incarnation& run, std::optional<std::uint32_t> rank,
                    const Json& event) { push(job_id, run, rank, event); }),
      gone_(loop, keepers_, [this](std::uint32_t job_id, const recovery::Incarnation& run) { kill_programs(job_id, run); }),
      spill_(loop, helpers.spill, [&site] { return site.spill_rate; }),
      carrier_(loop, introduction, recovery::derive_timing(std::chrono::milliseconds(600)), spill_, store_,
               [this](std::uint64_t room) { return admit_room(room); }),
      coder_(loop, keepers_, store_, introduction, recovery::derive_timing(std::chrono::milliseconds(600)), coding_hooks()),
      memory_(loop), holding_(loop), verifying_(loop),
      server_(
          std::move(sockets.snapshots), store_, introduction,
          [this](const recovery::Announcement& announced) { return admit_copy(announced); },
          recovery::derive_timing(std::chrono::milliseconds(600)).fetch_stall)
{
    loop_.every(prepare_interval, [this] { prepare_again(); });
    loop_.every(naming_interval, [this] { name_saves(); });
    loop_.every(holder_interval, [this] { check_holder(); });
    verifying_.run<Result<unsigned>>(
        [entries = store_.entries(0)]() -> Result<unsigned> { return verify_held(entries); },
        [](const Result<unsigned>&) {});
}

void Keeper::serve()
{
    charge_.set_node(keepers_.self());
    loop_.watch(socket_.number(), POLLIN, [this](short) { accept_programs(); });
}

Keeper::~Keeper()
{
    loop_.unwatch(socket_.number());
}

bool Keeper::knows(const std::string& op)
{
    return Exits::knows(op) || TimedSaves::knows(op) || GoneWatch::knows(op) || GroupCoder::knows(op) ||
           std::ranges::find(operations, op) != operations.end();
}

void Keeper::answer(const std::string& op, const Json& body, const Keepers::Answer& answer)
{
    if (op == "prepare") return coordinator_.answer_prepare(body, answer);
    if (op == "skip") return coordinator_.answer_skip(body, answer);
    if (op == "restore") return coordinator_.answer_restore(body, answer);
    if (op == "spilled") return coordinator_.answer_spilled(body, answer);
    if (op == "settle") return settle(body, answer);
    if (op == "files") return list_files(body, answer);
    if (Exits::knows(op)) return exits_.answer(op, body, answer);
    if (TimedSaves::knows(op)) return timed_.answer(op, body, answer);
    if (GoneWatch::knows(op)) return gone_.answer(op, body, answer);
    if (GroupCoder::knows(op)) return answer_coder(op, body, answer);
    if (op == "keep" || op == "committed") return keep(body, op == "committed", answer);
    const auto job_id = read_member<std::uint32_t>(body, "job", "the request");
    if (!job_id) return answer(error_to_json(job_id.error()));
    if (op == "drop") return answer(drop(*job_id));
    answer(op == "hold" ? hold(*job_id, body) : ok_with({{"held", describe(*job_id, 0)}}));
}

/// Answers when the record would also survive the end of this daemon.
void Keeper::keep(const Json& body, bool committed, const Keepers::Answer& answer)
{
    const auto record = recovery::commit_from_json(body, "a commit record");
    if (!record) return answer(error_to_json(record.error()));
    if (!jobs_.find(record->job_id)) // else a word that comes after the job's end would be held for ever
        return answer(error_to_json(
            failure(Code::no_such_job, format("job {} isn't on this node", record->job_id)).value()));
    const auto [kept, added] = records_.try_emplace(record->job_id, *record);
    const bool newer = added || recovery::is_newer(*record, kept->second);
    if (newer && !added) older_records_.insert_or_assign(record->job_id, std::exchange(kept->second, *record));
    if (added) kept_(record->job_id);
    if (committed) store_.commit(record->job_id, record->epoch);
    if (committed) release_older(*record);
    if (committed && read_member<bool>(body, "spill", "a commit record").value_or(false)) spill_epoch(*record);
    if (!newer) return answer(ok_with());
    holding_.run<Result<void>>([this, record = *record] { return give_to_holder(holder_, record); },
                               [answer](const Result<void>& given) {
                                   if (!given) log_error("a commit record is kept here alone", given.error());
                                   answer(ok_with());
                               });
}

/// What another number of ranks wrote isn't needed any more.
void Keeper::release_older(const recovery::CommitRecord& record)
{
    auto released = store_.release_older(record);
    if (released.empty()) return;
    log_line(Level::info, format("job {}: epoch {} of {} ranks is committed, and {} segments of an earlier run go", record.job_id,
                                 record.epoch, record.ranks, released.size()));
    holding_.run<Result<void>>(
        [this, released = std::move(released)]() -> Result<void> {
            for (const SegmentStore::Entry& entry : released) take_from_holder(holder_, entry);
            return {};
        },
        [](const Result<void>&) {});
}

/// A node may know of a job's commits and hold no part of them: records name no user, and tell of another's steps.
bool Keeper::is_foreign(std::uint32_t job_id, uid_t asker) const
{
    if (visible(job_id, asker).size() < store_.entries(job_id).size()) return true;
    if (asker == 0) return false;
    if (const LocalJob* job = jobs_.find(job_id)) return job->record.uid != asker;
    const auto kept = contract::read_kept_job(site_.state, job_id);
    return kept && kept->uid != asker;
}

Json Keeper::hold(std::uint32_t job_id, const Json& body) const
{
    const uid_t asker = read_member<std::uint32_t>(body, "uid", "the request").value_or(0);
    if (is_foreign(job_id, asker)) return ok_with({{"foreign", true}}); // a job resumes another user's
    Holdings holdings{{}, store_.list(job_id), {}};
    for (const CommitRecords* records : {&records_, &older_records_})
        if (const auto record = records->find(job_id); record != records->end())
            holdings.records.push_back(record->second);
    if (auto kept = contract::read_kept_job(site_.state, job_id)) holdings.earlier = std::move(kept->earlier);
    return to_json(holdings);
}

std::optional<recovery::CommitRecord> Keeper::committed_of(std::uint32_t job_id) const
{
    const auto record = records_.find(job_id);
    return record == records_.end() ? std::nullopt : std::optional(record->second);
}

/// The job runs on other nodes and needs nothing of this one any more.
Json Keeper::drop(std::uint32_t job_id)
{
    if (jobs_.find(job_id))
        return error_to_json(failure(Code::save_order, format("job {} runs here", job_id)).value());
    forget(job_id);
    return ok_with();
}

void Keeper::leave(std::uint32_t job_id)
{
    std::vector<std::shared_ptr<RankChannel>> channels; // closing one takes its program out of the map
    for (const auto& [id, program] : programs_)
        if (program.owner.job_id == job_id) channels.push_back(program.channel);
    for (const auto& channel : channels) channel->close();
    progress_.forget(job_id);
    starts_.erase(job_id);
    coordinator_.forget(job_id);
    coder_.forget(job_id);
    exits_.forget(job_id);
    timed_.forget(job_id);
    gone_.forget(job_id);
    const auto entries = store_.entries(job_id);
    charge_.leave(job_id, entries.empty() ? std::nullopt : std::optional(entries.front().segment->owner.uid));
}

void Keeper::release_memory(std::uint32_t job_id)
{
    store_.forget(job_id);
    holding_.run<Result<void>>(
        [this, job_id, record = committed_of(job_id)] {
            auto released = holder_.forget(job_id);
            return released && record ? give_to_holder(holder_, *record) : released;
        },
        [job_id](const Result<void>& released) {
            if (!released) log_error(format("job {} is still held", job_id), released.error());
        });
}

KeptState Keeper::kept_of(std::uint32_t job_id) const
{
    KeptState kept;
    const auto entries = store_.entries(job_id);
    const std::uint32_t ranks = count_newest_ranks(entries);
    for (const auto& [kind, segment] : entries) {
        if (kind != SegmentStore::Kind::own) continue;
        const std::scoped_lock lock(segment->mutex);
        if (segment->owner.ranks != ranks) continue;
        ++kept.registered;
        if (std::ranges::any_of(segment->sealed, [](const auto& sealed) { return sealed.has_value(); }))
            ++kept.saved;
    }
    kept.exposed = exposure_of(job_id);
    kept.short_grace = grace_lacking(job_id);
    if (const auto record = committed_of(job_id)) kept.committed = record->step;
    if (const auto spill = spills_.find(job_id); spill != spills_.end()) {
        kept.spilled = spill->second.step;
        kept.spill_fault = spill->second.fault;
    }
    return kept;
}

std::set<std::uint32_t> Keeper::held_jobs() const
{
    std::set<std::uint32_t> jobs;
    for (const auto& [job_id, record] : records_) jobs.insert(job_id);
    for (const auto& entry : store_.entries(0)) jobs.insert(entry.segment->owner.job_id);
    return jobs;
}

void Keeper::check_holder()
{
    holding_.run<Result<bool>>(
        [this]() -> Result<bool> { return holder_.is_incomplete(); },
        [this](const Result<bool>& incomplete) {
            if (!incomplete || !*incomplete) return;
            log_line(Level::error, "mscale-holder has ended or doesn't answer: it is given everything again");
            fill_holder();
        });
}

void Keeper::fill_holder()
{
    holding_.run<Result<void>>(
        [this, entries = store_.entries(0), records = records_]() -> Result<void> {
            for (const auto& entry : entries) give_to_holder(holder_, *entry.segment, entry.kind);
            for (const auto& [job_id, record] : records)
                if (auto given = give_to_holder(holder_, record); !given) return given;
            return {};
        },
        [](const Result<void>& given) {
            if (!given) log_error("mscale-holder", given.error());
        });
}

void Keeper::forget(std::uint32_t job_id)
{
    leave(job_id);
    records_.erase(job_id);
    older_records_.erase(job_id);
    spills_.erase(job_id);
    release_memory(job_id);
}

void Keeper::accept_programs()
{
    Fd socket(accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    ucred credentials{};
    socklen_t length = sizeof credentials;
    if (!socket || programs_.size() >= most_programs) return;
    if (getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return;
    const ProgramId id = next_++;
    programs_[id].asker = {credentials.uid, credentials.pid};
    programs_[id].channel = RankChannel::start(
        loop_, std::move(socket),
        {[this, id](const Json& packet) { on_packet(id, packet); }, [this, id] { on_program_end(id); }});
}

void Keeper::on_packet(ProgramId id, const Json& packet)
{
    const auto found = programs_.find(id);
    if (found == programs_.end()) return;
    Program& program = found->second;
    const std::string op = read_member<std::string>(packet, "op", "a packet").value_or("");
    if (op == "join" && !program.own) return on_join(id, packet);
    if (program.joined && (op == "end" || op == "at")) return on_ending(program, op, packet);
    if (program.joined) on_told(program, op, packet);
    if (op == "leave") return program.channel->close();
    if (!program.joined)
        return refuse(
            id, failure(Code::save_order, format("'{}' came before the join", printable(op, 20))).value());
    if (op == "sealed") return on_sealed(id, packet);
    if (op == "skipped") return on_skipped(program, packet);
    if (op == "read") return on_read(id, packet);
    if (op == "restored" || op == "reject") return on_taken(id, packet, op == "restored");
}

void Keeper::on_told(Program& program, const std::string& op, const Json& packet)
{
    if (op == "leave") program.parted = program.left = true;
    if (op == "leave") progress_.leave(program.owner);
    if (op == "ended") program.exit_status = read_member<std::uint32_t>(packet, "status", "a packet").value_or(0);
    if (op != "progress") return;
    if (const auto step = read_member<std::uint64_t>(packet, "step", "a packet"))
        progress_.reach(program.owner, *step);
}

void Keeper::refuse(ProgramId id, const Error& error)
{
    const auto found = programs_.find(id);
    if (found == programs_.end()) return;
    const auto channel = found->second.channel; // closing it takes the program out of the map
    found->second.parted = true;
    log_error(format("a program of uid {}", found->second.asker.uid), error);
    if (found->second.owner.job_id != 0 && !found->second.joined) gone_.refuse(found->second.owner, error);
    channel->send(error_to_json(error));
    channel->close();
}

} // namespace mscale::daemon
