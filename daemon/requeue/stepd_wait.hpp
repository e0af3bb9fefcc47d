#pragma once

#include <cstdint>
#include <vector>

#include <sys/types.h>

#include "base/error.hpp"
#include "daemon/mscaled/slurm_nodes.hpp"

/// A job's slurmstepd on this node that wait for a host that is dead: for srun there, which is to hear of the end of its
/// tasks.  slurmd waits for them before it clears the node of the job.
namespace mscale::daemon {

/// The slurmstepd of the job on this node.
std::vector<pid_t> list_stepds_of(std::uint32_t job_id);

/// Ends the connections of the job's slurmstepd, and of no other process, to the host.  How many were ended.
Result<unsigned> end_stepd_connections(std::uint32_t job_id, const NodeAddress& host);

} // namespace mscale::daemon
