#pragma once

#include <cstdint>
#include <functional>
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

/// Gives the steps of such processes of this host half a second to leave slurmctld's books.
Json wait_for_end_of_steps(std::uint32_t job_id, const std::function<bool(std::uint32_t srun_pid)>& is_meant);
/// Whether no srun of that number runs on this host.
bool has_srun_ended(std::uint32_t pid);
/// Whether one is still there: of a step that lost two nodes at once, or its slurmstepd, Slurm never learns that it has ended.
bool is_step_left(const Json& answer);

/// The nodes that the job has now: those that are DOWN have left a job that goes on without them.
Json list_allocation(std::uint32_t job_id);
std::optional<std::vector<std::string>> read_allocation(const Json& answer);

Json requeue_job(std::uint32_t job_id);

/// Why the job is to end; job_end.hpp reads it.
Json load_job_end(std::uint32_t job_id);

} // namespace mscale::cli
