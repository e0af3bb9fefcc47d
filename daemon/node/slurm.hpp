#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace mscale::node {

/// "node[1-3]" as names, by libslurm; nothing where mscale was built without Slurm.
std::vector<std::string> expand_host_list(const std::string& list);

/// Jobs that slurmctld knows and that aren't finished; completing ones count as live.  An error when it
/// doesn't answer.
Result<std::set<std::uint32_t>> load_live_jobs();

} // namespace mscale::node
