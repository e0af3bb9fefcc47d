#pragma once

#include <optional>

#include "base/json_forward.hpp"
#include "contract/ledger.hpp"
#include "contract/site.hpp"
#include "hal/machine.hpp"

namespace mscale::node {

/// What the SPANK plugin asks at the start of a step.
struct StepQuestion {
    std::uint32_t job_id = 0, step_id = 0, uid = 0;
    unsigned tasks = 1;
    CpuSet cores;    ///< Slurm's abstract numbers: the step's, else the job's
    CpuSet affinity; ///< kernel CPUs of slurmstepd; empty when unknown
    ProcessId stepd; ///< pid 0 when unknown
};

/// Reads {"job","step","uid","tasks","step_cores","job_cores","affinity"} and "stepd", its pid, when it is there.
Result<StepQuestion> read_step_question(const std::string& text);

/// The CPUs of Slurm's abstract cores that slurmstepd may use, or the refusal that there are none.
Result<CpuSet> grant_cpus(const StepQuestion& question, const hal::Machine& machine);

/// The machine as the job sees it: its own huge pages, reserved by its mounts, count as free.
void give_own_pages(hal::Machine& machine, const contract::Plan& plan);

/// Drops the plans of steps whose slurmstepd is gone: they serve nobody, and a job may have any number of steps.
/// Of those that were refused the first stays, without its plan: it is why the contract isn't honoured.
void drop_ended_steps(std::vector<contract::StepRecord>& steps);

/// Plans the step within the job's record, appends it to the ledger and returns it; a refused job's refusals
/// come back with it.  Nothing when the job holds no contract here.
Result<std::optional<contract::StepRecord>> plan_step(const StepQuestion& question,
                                                      const contract::Site& site);

} // namespace mscale::node
