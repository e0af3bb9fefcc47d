#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mscale::gres {

/// One line of gres.conf for slices.
struct SliceLine {
    std::uint64_t count = 0;
    std::vector<std::string> files; ///< the expression of File=, expanded
};

/// Why these lines can't give each slice an identity: one sentence with its cure, or "" when they can.
/// Slurm tracks which slices a job holds only where each slice has one file of its own.
std::string find_fault(const std::vector<SliceLine>& lines);

} // namespace mscale::gres
