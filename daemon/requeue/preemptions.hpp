#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "daemon/keeper/exits.hpp"
#include "daemon/mscaled/jobs.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"
#include "daemon/mscaled/worker.hpp"
#include "recovery/commit.hpp"

namespace mscale::daemon {

/// slurmctld, as far as a preempted job needs it; what is called waits.
struct PreemptionController {
    std::function<Result<bool>(std::uint32_t job_id)> is_to_requeue = is_preempted_to_requeue;
    std::function<Result<void>(std::uint32_t job_id)> requeue = requeue_job;
};

/// Requeues the jobs with [ft] that Slurm preempts with time to end, as soon as their last snapshot is committed, where no
/// `mscale run` does it: for Slurm a job that ends within that time is done, and would never go on.  Lives on the loop of the
/// node on which the job's script runs.
class Preemptions {
public:
    /// What it asks of the other parts of the daemon.
    struct View {
        std::function<std::string()> self;
        std::function<std::optional<JobExit>(std::uint32_t job_id)> exit;
        std::function<std::optional<recovery::CommitRecord>(std::uint32_t job_id)> committed;
        std::function<bool(std::uint32_t job_id)> is_attached; ///< a `mscale run` of it polls this node
    };

    Preemptions(Loop& loop, const Jobs& jobs, View view, PreemptionController controller = {});

private:
    void look();
    void ask(std::uint32_t job_id, const JobExit& exit);
    void follow(std::uint32_t job_id, const JobExit& exit);
    void requeue(std::uint32_t job_id);

    Loop& loop_;
    const Jobs& jobs_;
    View view_;
    PreemptionController controller_;
    Worker slurm_; ///< its own: the job ends meanwhile
    std::map<std::uint32_t, recovery::Incarnation> asked_; // by job: the run about which slurmctld was asked
};

} // namespace mscale::daemon
