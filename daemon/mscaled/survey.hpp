#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/ledger.hpp"
#include "daemon/mscaled/processes.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"

namespace mscale::daemon {

/// A job that this node knows by its ledger.
struct KnownJob {
    std::uint32_t job_id = 0;
    std::vector<std::uint32_t> steps; ///< those that had tasks here, so their slurmstepd has lived
    contract::Run run = {};           ///< of its ledger
};

/// A step that slurmctld believes to run here though its slurmstepd is gone.
struct LostStep {
    std::uint32_t job_id = 0;
    std::string step;
    auto operator<=>(const LostStep&) const = default;
};

/// A run of a job that has left this node: a later one of the same job may begin at any moment.
struct DeadJob {
    std::uint32_t job_id = 0;
    contract::Run run;
    bool operator==(const DeadJob&) const = default;
};

/// What slurmctld and /proc say of this node's jobs.
struct Survey {
    std::vector<DeadJob> dead; ///< hold a ledger here and no nodes any more
    std::vector<LostStep> lost;
    std::vector<JobFacts> unprepared; ///< run here and were accepted by job_submit, but hold no ledger here
};

/// Asks about each job; when slurmctld fails to answer for one, nothing is concluded for any.  Waits: only
/// for a Worker. `strangers` are jobs that run here without a ledger.
Result<Survey> survey_jobs(const std::vector<KnownJob>& known, const std::vector<std::uint32_t>& strangers,
                           const std::string& self);

/// The steps of a job that should have a slurmstepd on node `self` and have none.  Pure.
std::vector<LostStep> find_lost_steps(const KnownJob& job, const JobFacts& facts,
                                      const std::vector<StepFacts>& running,
                                      const std::vector<StepName>& stepds, const std::string& self);

/// The name of a step as slurmstepd writes it: "batch", "extern", "interactive" or the number.
std::string step_name(std::uint32_t step_id);

} // namespace mscale::daemon
