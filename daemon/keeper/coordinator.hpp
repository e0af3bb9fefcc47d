#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_forward.hpp"
#include "contract/contract.hpp"
#include "daemon/keeper/keepers.hpp"
#include "recovery/commit.hpp"
#include "recovery/restore_round.hpp"
#include "recovery/spill_book.hpp"

namespace mscale::daemon {

struct FoundHoldings;

/// What a job's ledger says that its snapshots' way needs.
struct JobTerms {
    contract::Ft ft;
    std::uint32_t uid = 0;
};

/// The part of a keeper that acts for a whole job: commits its snapshots and chooses what a run goes on from, where the job
/// was requeued also from what nodes out of its allocation hold.  Every node has one; it acts for the jobs whose keepers ask
/// it, which is the first node of the allocation that answers, and begins with what all nodes hold.  Lives on the loop.
///
///   prepare  a rank's snapshot is held as often as promised     -> keep (a second node), then committed (all nodes)
///   skip     a rank goes on without an epoch                     -> abandoned, as the next prepare of each rank is told,
///            and with it the newest commit, for a node that missed the word of it
///   restore  what ranks have verified, can't use or wait for     -> the choice, and whether all ranks may start
///   spilled  a node has written its ranks' files, or couldn't     -> settle (all nodes), when all have
class Coordinator {
public:
    /// `terms` are those of a job of this node.
    explicit Coordinator(Keepers& keepers, std::function<JobTerms(std::uint32_t job_id)> terms = {})
        : keepers_(keepers), terms_(std::move(terms))
    {
    }

    void answer_prepare(const Json& body, const Keepers::Answer& answer);
    void answer_skip(const Json& body, const Keepers::Answer& answer);
    void answer_restore(const Json& body, const Keepers::Answer& answer);
    void answer_spilled(const Json& body, const Keepers::Answer& answer);
    void forget(std::uint32_t job_id) { jobs_.erase(job_id); }

private:
    struct Job {
        std::optional<recovery::Incarnation> run;    ///< whose start was asked for
        std::optional<recovery::CommitBook> book;    ///< once the nodes have said what they hold
        std::optional<recovery::RestoreRound> round; ///< of the newest run
        std::vector<std::function<void()>> waiting;  ///< for the nodes
        std::vector<recovery::CommitRecord> records;
        std::vector<recovery::HeldCopy> copies;
        std::vector<std::string> outside; ///< nodes out of the allocation that hold something of earlier runs
        std::vector<Error> faults;        ///< why something that may be there couldn't be looked at
        std::string unusable;             ///< the last copy that could not be used, and why
        std::optional<std::uint32_t> resumes; ///< the job of ft.resume, where this one has nothing of its own
        recovery::SpillBook spills;
        std::optional<recovery::CommitRecord> keeping;   ///< that a second node was asked to keep last
        std::optional<recovery::CommitRecord> announced; ///< that all nodes were told of last
        std::optional<std::uint64_t> told; ///< step of a snapshot that slurmctld knows of, where no node knows of any
        bool silence = false; ///< a node of the allocation hasn't said what it holds
        bool asking = false;
        std::chrono::steady_clock::time_point asked{}; ///< when the nodes were asked first
    };

    /// How far what a job goes on from is sought.
    struct Reach {
        bool restarted = false; ///< nodes out of the allocation may hold some
        bool begins = false;    ///< a run begins: files count, too, and the job of ft.resume
    };
    /// Calls `then` when the job's book is there.
    void with_book(std::uint32_t job_id, std::uint32_t ranks, const Reach& reach, std::function<void()> then);
    void gather(std::uint32_t job_id, std::uint32_t ranks, const Reach& reach);
    void take_found(std::uint32_t job_id, std::uint32_t ranks, const Reach& reach, FoundHoldings found);
    /// Goes on with what another job has left, where ft.resume says so and this one has nothing of its own.
    void seek_resumed(std::uint32_t job_id, std::uint32_t ranks);
    JobTerms terms_of(std::uint32_t job_id) const { return terms_ ? terms_(job_id) : JobTerms(); }
    Error explain(const Job& job, Error error) const;
    /// Goes on when slurmctld has said whether an earlier run had a snapshot: with nothing in hand, nothing else tells a job
    /// that has lost all from one that never had anything.
    void ask_told(std::uint32_t job_id, std::uint32_t ranks);
    void settle_holdings(std::uint32_t job_id, std::uint32_t ranks);
    void take_holdings(std::uint32_t job_id, Job& job, FoundHoldings found);
    static void begin_run(Job& job, const recovery::Incarnation& run);
    Json judge_restore(Job& job, const struct RestoreState& state);
    void commit_newest(const Job& job, const recovery::Incarnation& run);
    static Json describe_progress(const Job& job, const recovery::Incarnation& run);
    bool waits_for_nodes(Job& job, const struct RestoreState& state);
    void commit(const recovery::CommitRecord& record);
    void keep_on(const recovery::CommitRecord& record, std::vector<std::string> nodes);
    void announce(const recovery::CommitRecord& record);

    Keepers& keepers_;
    std::function<JobTerms(std::uint32_t)> terms_;
    std::map<std::uint32_t, Job> jobs_;
};

} // namespace mscale::daemon
