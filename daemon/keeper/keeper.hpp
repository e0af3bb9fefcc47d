#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/json_forward.hpp"
#include "contract/site.hpp"
#include "daemon/charge/charge.hpp"
#include "daemon/coding/group_coder.hpp"
#include "daemon/keeper/adoption.hpp"
#include "daemon/keeper/carrier.hpp"
#include "daemon/keeper/coordinator.hpp"
#include "daemon/keeper/exits.hpp"
#include "daemon/keeper/gone_ranks.hpp"
#include "daemon/keeper/keepers.hpp"
#include "daemon/keeper/progress_book.hpp"
#include "daemon/keeper/rank_channel.hpp"
#include "daemon/keeper/run_start.hpp"
#include "daemon/keeper/segment_store.hpp"
#include "daemon/keeper/snapshot_server.hpp"
#include "daemon/keeper/timed_saves.hpp"
#include "daemon/mscaled/jobs.hpp"
#include "daemon/mscaled/report.hpp"
#include "daemon/spill/spill.hpp"
#include "recovery/admission.hpp"

namespace mscale::daemon {

/// Keeps the snapshots of this node's ranks, and copies of other nodes': the map of what a program, another keeper and the
/// end of a job cause.  Lives on the loop; memory and network are in threads of their own (SegmentStore, Carrier,
/// SnapshotServer).
///
///   program: join      memory is reserved, RunStart brings the snapshot to go on from   -> the answer, with the memory
///            sealed    Carrier copies it to the partners, or GroupCoder makes a coded part   -> prepare at the Coordinator
///                      -> committed
///            read       a piece of what another number of ranks wrote is put into its memory (RunStart)
///            skipped, restored, reject, progress, leave
///            end, at   the job is to end: Exits finds the step after which all ranks leave
///            its end without leave: GoneWatch
///   keeper:  prepare, skip, restore, spilled -> Coordinator;  keep, committed, hold, drop, settle, files -> here
///            steps, save_at -> TimedSaves;  end, ending, at, exit -> Exits;  members, shards -> GroupCoder;
///            gone, done, end_ranks -> GoneWatch
///   committed, each N-th: Spill writes files (mscale-spill)   -> spilled at the Coordinator   -> settle
///   end of a job on this node: leave; DepartedJobs says whether what is held stays, or is written to files first
class Keeper {
public:
    struct Sockets {
        Fd programs, snapshots;
    };
    /// Site.state/keeper.sock, and the TCP port of snapshots.
    static Result<Sockets> open_sockets(const contract::Site& site);

    /// Called when a rank of a job has registered state here, or has saved it for the first time, and when a snapshot of the
    /// job was committed for the first time.
    using Kept = std::function<void(std::uint32_t job_id)>;

    /// Where the programs of the keeper lie.
    struct Helpers {
        std::string holder, spill, charge;
    };

    /// Takes over what an earlier daemon left to the holder.
    Keeper(Loop& loop, const contract::Site& site, const Jobs& jobs, Keepers::Network network,
           const recovery::Introduction& introduction, Sockets sockets, const Helpers& helpers, Kept kept);
    ~Keeper();

    /// Begins to listen to programs: not before the daemon knows its own name, or their snapshots would find no partner.
    void serve();

    /// True for the operations of other keepers.
    static bool knows(const std::string& op);
    void answer(const std::string& op, const Json& body, const Keepers::Answer& answer);
    /// The job has left this node; what is held of it stays.
    void leave(std::uint32_t job_id);
    /// Frees the memory of a job that has left; that it was committed is still known.
    void release_memory(std::uint32_t job_id);
    /// Writes what was committed last of a job that has left to its files, if it has ft.spill; `then` is called when what is
    /// in memory is needed no more.
    void spill_departed(std::uint32_t job_id, const std::function<void()>& then);
    /// Nothing is held of the job any more.
    void forget(std::uint32_t job_id);
    /// The newest snapshot of the whole job that this node knows of.
    std::optional<recovery::CommitRecord> committed_of(std::uint32_t job_id) const;
    std::uint64_t count_bytes(std::uint32_t job_id) const { return store_.count_bytes(job_id); }
    /// What the snapshots of a job take of this node's memory, and at whose expense; null where nothing is held.
    Json describe_memory(std::uint32_t job_id) const;
    /// How far this node's own ranks are, of the job's newest run here.
    NodeProgress progress_of(std::uint32_t job_id) const { return progress_.of(job_id); }
    /// `mscale run` was told that the run is to end.
    void end_run(std::uint32_t job_id, const recovery::Incarnation& run, std::uint32_t signal)
    {
        exits_.notice(job_id, run, signal);
    }
    /// `mscale run` begins another run, since ranks of this one are gone.
    void end_ranks(std::uint32_t job_id, const recovery::Incarnation& run) { gone_.end_ranks(job_id, run); }
    std::optional<GoneRanks> gone_of(std::uint32_t job_id) const { return gone_.find(job_id); }
    /// How the job's ranks are to leave, where it is to end.
    std::optional<JobExit> exit_of(std::uint32_t job_id) const { return exits_.exit_of(job_id); }
    /// {"op":"snapshot","do":"list" | "show" | "verify" | "drop","job":J} of the local socket: what snapshot_view says, of the
    /// asker's own jobs.  `show` asks the other nodes of a running job; `drop` is refused to the owner while the job runs.
    void answer_snapshots(const Asker& asker, const Json& request, const Keepers::Answer& answer);
    /// How many ranks of this node have registered state and saved it, and what is committed; the other members are the caller's.
    KeptState kept_of(std::uint32_t job_id) const;
    /// The jobs of which anything is held.
    std::set<std::uint32_t> held_jobs() const;

private:
    /// A program that joined, from its first packet to its end.
    struct Program {
        Asker asker;
        recovery::Owner owner; ///< as it joined; its segment's may be of a newer run already
        std::shared_ptr<RankChannel> channel;
        std::shared_ptr<HeldSegment> own; ///< once its memory is reserved
        contract::Ft ft;
        std::optional<recovery::VerbsTerms> verbs;
        Fd process, task; ///< pidfds: of the program, and of the Slurm task that it is in
        bool joined = false;
        bool parted = false; ///< it has left, or was refused
        bool left = false;
        std::optional<std::uint32_t> exit_status; ///< as it told
        bool elastic = false;       ///< it can take its part of what another number of ranks wrote
        std::uint64_t prepared = 0; ///< newest epoch that is held as promised
        std::uint64_t prepared_step = 0;
    };
    using ProgramId = std::uint64_t;

    /// What a join asks for, checked.
    struct Join {
        recovery::Owner owner;
        contract::Ft ft;
        std::optional<recovery::VerbsTerms> verbs; ///< of [rdma]
        std::uint64_t state_bytes = 0;
        ProcessId task;
    };

    void accept_programs();
    void on_packet(ProgramId id, const Json& packet);
    void on_program_end(ProgramId id);
    void on_join(ProgramId id, const Json& packet);
    /// `deadline` while slurmctld hasn't said yet which run of the job it is.
    Result<Join> read_join(const Asker& asker, const Json& packet) const;
    std::uint64_t room_left() const;
    /// Called by the streams' threads: a copy of another node's counts against the same limit as this node's own.
    Result<void> admit_copy(const recovery::Announcement& announced) const;
    Result<void> admit_room(std::uint64_t capacity) const;
    /// The same of the job's own limit.
    Result<void> admit_to_job_of(const recovery::Owner& owner, const recovery::RoomQuestion& question,
                                 std::uint64_t promised) const;
    std::uint64_t count_promised(const Join& join) const;
    Result<std::shared_ptr<HeldSegment>> reserve(const Join& join);
    void on_memory(ProgramId id, bool again, const Result<std::shared_ptr<HeldSegment>>& own);
    void welcome(Program& program, const std::optional<RestorePoint>& point);
    void on_started(ProgramId id, const Result<std::optional<RestorePoint>>& point);
    void on_sealed(ProgramId id, const Json& packet);
    void on_copied(ProgramId id, unsigned slot, std::size_t promised, const Carrier::Copied& copied);
    void give_up(const std::shared_ptr<HeldSegment>& own, std::uint64_t epoch, const Error& error);
    void on_skipped(const Program& program, const Json& packet);
    void on_taken(ProgramId id, const Json& packet, bool valid);
    void on_read(ProgramId id, const Json& packet);
    void on_told(Program& program, const std::string& op, const Json& packet);
    void on_ending(const Program& program, const std::string& op, const Json& packet);
    void push(std::uint32_t job_id, const recovery::Incarnation& run, std::optional<std::uint32_t> rank,
              const Json& event);
    void kill_programs(std::uint32_t job_id, const recovery::Incarnation& run) const;
    std::optional<Json> ending_event(const recovery::Owner& owner) const;
    void refuse(ProgramId id, const Error& error);
    void prepare(const Program& program);
    void take_commit(HeldSegment& own, const Json& answer);
    void prepare_again();
    void name_saves();
    void tell_coordinator(const std::string& op, const std::shared_ptr<HeldSegment>& own, const Json& said);
    void look_ahead(const recovery::Owner& owner);
    RunStart& start_of(const recovery::Owner& owner);
    /// The nodes that hold copies of a program's snapshots, and the domain whose loss takes the node and them; "" none.
    struct Partners {
        std::vector<std::string> nodes;
        std::string exposure;
    };
    Partners partners_of(const Program& program) const;
    std::string exposure_of(std::uint32_t job_id) const;
    std::string grace_lacking(std::uint32_t job_id) const;
    static GroupCoder::Run coded_run_of(const Program& program);
    GroupCoder::Hooks coding_hooks();
    void answer_coder(const std::string& op, const Json& body, const Keepers::Answer& answer);
    void place_groups(ProgramId id, const std::function<void()>& then);
    void code_restored(const Program& program, const RestorePoint& point);
    void on_coded(const std::shared_ptr<HeldSegment>& own, const recovery::SlotHeader& shard, const Result<void>& made);
    void hold_as_promised(Program& program, const recovery::SlotHeader& header);
    std::vector<std::uint32_t> local_ranks(std::uint32_t job_id, const recovery::Incarnation& run) const;
    void release_older(const recovery::CommitRecord& record);
    void keep(const Json& body, bool committed, const Keepers::Answer& answer);
    std::vector<SegmentStore::Entry> visible(std::uint32_t job_id, uid_t asker) const;
    Json describe(std::uint32_t job_id, uid_t asker) const;
    void show(std::uint32_t job_id, uid_t asker, const Keepers::Answer& answer);
    void verify(std::uint32_t job_id, uid_t asker, const Keepers::Answer& answer);
    Json drop_for(uid_t asker, std::uint32_t job_id);
    void check_holder();
    void fill_holder();
    bool is_foreign(std::uint32_t job_id, uid_t asker) const;
    Json hold(std::uint32_t job_id, const Json& body) const;
    JobTerms terms_of(std::uint32_t job_id) const;
    std::optional<SpillPlace> place_of(std::uint32_t job_id) const;
    std::vector<Spill::Source> sources_of(const recovery::CommitRecord& record, SegmentStore::Kind wanted) const;
    void spill_epoch(const recovery::CommitRecord& record);
    void spill_copies(const recovery::CommitRecord& record, const SpillPlace& place, const std::function<void()>& then);
    void note_spill(std::uint32_t job_id, const Result<void>& done);
    void settle(const Json& body, const Keepers::Answer& answer);
    void list_files(const Json& body, const Keepers::Answer& answer);
    Json drop(std::uint32_t job_id);

    Loop& loop_;
    const contract::Site& site_;
    const Jobs& jobs_;
    Fd socket_;
    Kept kept_;
    const std::uint64_t memory_limit_; ///< [recovery] memory when the daemon began; 0 none
    Holder holder_;
    Charge charge_;
    SegmentStore store_;
    CommitRecords records_;
    CommitRecords older_records_; ///< the one before, for when no copy of the newest turns out whole
    Keepers keepers_;
    Coordinator coordinator_;
    Exits exits_;
    TimedSaves timed_;
    GoneWatch gone_;
    Spill spill_;
    Carrier carrier_;
    GroupCoder coder_;
    Worker memory_, holding_, verifying_;
    SnapshotServer server_;
    ProgramId next_ = 1;
    std::map<ProgramId, Program> programs_;
    ProgressBook progress_;
    /// What is known of a job's files, from the first rank that joins here until nothing is held of it.
    struct SpillState {
        std::optional<SpillPlace> place;
        std::uint64_t step = 0; ///< of the newest epoch whose files are all there
        std::string fault;      ///< why they aren't written, for AdminComment
    };
    std::map<std::uint32_t, SpillState> spills_; // by job
    std::map<std::uint32_t, std::shared_ptr<RunStart>> starts_; // by job
};

} // namespace mscale::daemon
