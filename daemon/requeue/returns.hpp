#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "daemon/mscaled/jobs.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"
#include "daemon/mscaled/worker.hpp"
#include "daemon/requeue/return_plan.hpp"

namespace mscale::daemon {

/// slurmctld, as far as a job that comes back needs it; what is called waits.
struct JobController {
    std::function<Result<JobFacts>(std::uint32_t job_id)> load = load_job;
    std::function<Result<void>(std::uint32_t job_id)> requeue = requeue_job;
    std::function<Result<void>(std::uint32_t job_id)> hurry = begin_job_now;
};

/// Brings jobs with [ft] back that have lost a node and that no `mscale run` brings back in their allocation: asks slurmctld
/// to requeue them, ends their ranks, which could only wait for each other until KillWait, and lets them begin at once.  Lives on
/// the loop.
class Returns {
public:
    /// What it asks of the other parts of the daemon.
    struct View {
        std::function<std::string()> self;
        std::function<std::optional<JobView>(std::uint32_t job_id)> job;
        std::function<bool(std::uint32_t job_id)> is_attached; ///< a `mscale run` of it polls this node
        std::function<void(std::uint32_t job_id)> end_ranks;   ///< kills what is left of its newest run, on all nodes
    };

    Returns(Loop& loop, const Jobs& jobs, View view, JobController controller = {});

private:
    struct Return {
        std::uint32_t job_id = 0;
        std::uint32_t restarts = 0;
        ReturnPlan plan;
        std::chrono::steady_clock::time_point began;
        bool asked = false;
        bool waits = false; ///< slurmctld has taken it out of its allocation
        std::optional<std::chrono::steady_clock::time_point> hurries_after; ///< once it could
        bool told = false; ///< that it may begin, or that slurmctld says no
        bool has_ended_ranks = false;
    };
    void look();
    void look_at(const LocalJob& job);
    void turn(const std::shared_ptr<Return>& job);
    Result<ReturnStep> act(Return& job) const;
    void go_on(const std::shared_ptr<Return>& job, const Result<ReturnStep>& step);

    Loop& loop_;
    const Jobs& jobs_;
    View view_;
    JobController controller_;
    Worker slurm_; ///< its own: it polls
    std::map<std::uint32_t, std::pair<contract::Run, std::set<std::string>>> seen_; // deaths that were dealt with, by job
};

} // namespace mscale::daemon
