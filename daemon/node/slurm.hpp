#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace mscale::node {

/// "node[1-3]" as names, by libslurm; nothing where mscale was built without Slurm.
std::vector<std::string> expand_host_list(const std::string& list);

/// A run of a job that holds this node now.
struct RunHere {
    std::uint32_t uid = 0;
    std::uint32_t restarts = 0;
    std::vector<std::string> nodes;  ///< of the allocation, in Slurm's order
    std::vector<unsigned> sm_slices; ///< of `gres` on this node
};

/// Asks slurmctld for the run of a job that holds `node` ("": the node with this host's name) now; an error when there is
/// none or it doesn't answer.
Result<RunHere> load_run(std::uint32_t job_id, const std::string& node, const std::string& gres);

/// The indices of one GRES in what slurmctld tells of a node, "gpu:1(IDX:0),sm:h100:3(IDX:0-1,5)".  Pure.
Result<std::vector<unsigned>> read_gres_indices(const std::string& detail, const std::string& gres);

/// Jobs that slurmctld knows and that aren't finished; completing ones count as live.  An error when it
/// doesn't answer.
Result<std::set<std::uint32_t>> load_live_jobs();

} // namespace mscale::node
