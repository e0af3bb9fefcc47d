#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_forward.hpp"

/// What `mscale run` has Slurm do.  Each waits for slurmctld: only for a SlurmChild; the answers are read by the functions
/// beside them.
namespace mscale::cli {

/// Sends the signal to every task of the step that this host's process `srun_pid` started.
Json signal_step_of(std::uint32_t job_id, std::uint32_t srun_pid, int signal);
/// Whether there was such a step; true where slurmctld couldn't be asked.
bool had_step(const Json& answer);

/// The nodes that the job has now: those that are DOWN have left a job that goes on without them.
Json list_allocation(std::uint32_t job_id);
std::optional<std::vector<std::string>> read_allocation(const Json& answer);

Json requeue_job(std::uint32_t job_id);

/// Why the job is to end; job_end.hpp reads it.
Json load_job_end(std::uint32_t job_id);

} // namespace mscale::cli
