#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "contract/site.hpp"
#include "daemon/mscaled/jobs.hpp"
#include "daemon/mscaled/post.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// What the snapshots of a job that has left take of this node's memory.
struct DepartedMemory {
    std::uint32_t job_id = 0;
    std::uint64_t bytes = 0;
};

/// The jobs whose memory must go so that the rest lies within `limit`: the one that left first goes first.  Pure.
std::vector<std::uint32_t> choose_freed(std::vector<DepartedMemory> oldest_first, std::uint64_t limit);

/// The jobs that have left this node.  What is kept of one that slurmctld may run again stays: its snapshots within
/// [recovery] held_memory, in which those that wait for an operator go last, and what its prolog was told; of one that has ended
/// nothing does.  What a job that didn't end well has
/// committed goes to its files first.  Lives on the loop.
class DepartedJobs {
public:
    /// How the keeper's memory is asked for and freed.
    struct Snapshots {
        std::function<std::uint64_t(std::uint32_t job_id)> count_bytes;
        std::function<void(std::uint32_t job_id)> free_memory; ///< what was committed is still known
        std::function<void(std::uint32_t job_id)> forget;
        /// Writes what was committed last to the files of ft.spill, and calls `then`, at once where there is none.
        std::function<void(std::uint32_t job_id, std::function<void()> then)> spill;
    };
    using Load = std::function<Result<JobFacts>(std::uint32_t job_id)>;
    /// Has slurmctld say whether the job waits for an operator.
    using Tell = std::function<Result<void>(const JobFacts& facts)>;

    /// `slurm` is a thread that may wait for slurmctld.
    DepartedJobs(Loop& loop, const contract::Site& site, const Jobs& jobs, Worker& slurm, Snapshots snapshots,
                 Load load = load_job, Tell tell = tell_held)
        : loop_(loop), site_(site), jobs_(jobs), slurm_(slurm), snapshots_(std::move(snapshots)),
          load_(std::move(load)), tell_(std::move(tell))
    {
    }

    /// The job's ledger has gone.
    void leave(std::uint32_t job_id);
    bool knows(std::uint32_t job_id) const { return entries_.contains(job_id); }
    /// Called now and then: those that have ended meanwhile are forgotten.
    void look();

private:
    struct Entry {
        std::uint64_t order = 0; ///< in which they left
        bool stays = false;      ///< slurmctld said that it may run again
        bool held = false;       ///< but not before somebody releases it
        bool asking = false;
        bool spilling = false, spilled = false; ///< its snapshot goes to files
        unsigned failures = 0;
    };
    void ask(std::uint32_t job_id);
    void take(std::uint32_t job_id, const Result<JobFacts>& facts);
    void ask_later(std::uint32_t job_id, const Error& error);
    void spill(std::uint32_t job_id);
    void learn_held(Entry& entry, const JobFacts& facts);
    void keep_within_limit();

    Loop& loop_;
    const contract::Site& site_;
    const Jobs& jobs_;
    Worker& slurm_;
    Snapshots snapshots_;
    Load load_;
    Tell tell_;
    std::uint64_t next_ = 0;
    std::map<std::uint32_t, Entry> entries_; // by job
};

} // namespace mscale::daemon
