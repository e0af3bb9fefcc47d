#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"

namespace mscale::contract {

/// What Slurm granted to a job or step on one node, in the kernel's numbering.
struct Allocation {
    std::optional<CpuSet> cpus;      ///< empty: not known yet (in the prolog), then any CPU of the machine may be planned
    unsigned tasks = 1;              ///< tasks on this node
    std::vector<unsigned> gpus;      ///< NVML indices of whole GPUs
    std::vector<unsigned> sm_slices; ///< indices of gres/sm on this node
    std::vector<std::string> lost_gpus = {}; ///< PCI addresses of GPUs that have failed under the job: none of them is planned
    bool operator==(const Allocation&) const = default;
};

} // namespace mscale::contract
