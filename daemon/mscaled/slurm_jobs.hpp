#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/error.hpp"

/// What the daemon asks of slurmctld, by libslurm.  Every function waits for slurmctld: only for a Worker.
namespace mscale::daemon {

/// slurmctld's view of a job.
struct JobFacts {
    std::uint32_t job_id = 0;
    uid_t uid = 0;
    std::uint32_t restarts = 0;
    std::int64_t started = 0; ///< seconds since the epoch
    bool running = false;     ///< holds its nodes: running, suspended, being set up or completing
    bool completing = false;
    bool finished = false; ///< ended for good and not to be run again
    bool ended = false;    ///< the same, or will be when its nodes have been cleared
    bool completed = false; ///< ended as it should
    bool pending = false;  ///< waits to run; its nodes may still be being cleared of an earlier run
    bool held = false;    ///< pending until somebody releases it: by its user, or since its launch failed
    std::int64_t begins = 0; ///< before which it doesn't run; seconds since the epoch, 0 where it waits for nothing
    bool batch = false;
    std::string batch_host;
    std::vector<std::string> nodes; ///< in Slurm's order
    std::string admin_comment;
};

/// A step that slurmctld believes to run.
struct StepFacts {
    std::uint32_t job_id = 0;
    std::uint32_t step_id = 0;
    std::int64_t started = 0;
    std::vector<std::string> nodes;
};

/// The job, or no_such_job when slurmctld doesn't know it; any other error means that slurmctld didn't
/// answer.
Result<JobFacts> load_job(std::uint32_t job_id);
Result<std::vector<StepFacts>> load_steps(std::uint32_t job_id);

/// Replaces the whole AdminComment.
Result<void> update_admin_comment(std::uint32_t job_id, const std::string& text);
Result<void> cancel_job(std::uint32_t job_id);
/// Requeues a batch job; an error when the job can't be.
Result<void> requeue_job(std::uint32_t job_id);
/// Whether the job runs, is being preempted with time to end, and is to be requeued after that: by its PreemptMode, and since it
/// is a batch job that may be.
Result<bool> is_preempted_to_requeue(std::uint32_t job_id);
/// Lets a job that waits begin now, whatever its begin time was.
Result<void> begin_job_now(std::uint32_t job_id);

/// "n[1-3]" as names; empty for an empty or wrong list.
std::vector<std::string> expand_nodes(const char* list);

} // namespace mscale::daemon
