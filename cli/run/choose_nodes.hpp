#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace mscale::cli {

/// Which nodes of the allocation a run may use.
struct NodeQuestion {
    std::vector<std::string> nodes;    ///< of the allocation, in Slurm's order
    std::vector<std::string> last_run; ///< nodes of the run before; empty for the first
    std::set<std::string> gone;        ///< dead, or no longer in the allocation
    std::set<std::string> blamed;      ///< lost two runs by themselves: taken only where others don't suffice
    unsigned wanted = 1;
};

/// As many nodes as wanted, in the order of the allocation: those of the run before, whose memory holds the snapshots, then
/// the first that are left; the rest stay parked.  node_silent, with who is left, where they don't suffice.  Pure.
Result<std::vector<std::string>> choose_nodes(const NodeQuestion& question);

} // namespace mscale::cli
