#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hal/machine.hpp"

struct hwloc_topology;

// What hwloc is used for.  hal/without_hwloc.cpp answers in its place where the build found none.
namespace mscale::hal {

/// Removes every variable from the process that would make hwloc read another machine (HWLOC_XMLFILE,
/// HWLOC_FSROOT, …).
void forget_hwloc_environment();

/// The cores of this system in hwloc's logical order, which is the one Slurm counts them in; nothing without
/// hwloc.
std::optional<std::vector<CpuSet>> read_core_order();

/// Fills nodes, cores, online CPUs, name and kernel release from a topology that was loaded from a file.
void read_hwloc_cpus(hwloc_topology* topology, Machine& machine);

/// Fills GPUs, disks and RDMA ports; the nodes must be there.
void read_hwloc_devices(hwloc_topology* topology, Machine& machine);

} // namespace mscale::hal
