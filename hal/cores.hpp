#pragma once

#include <vector>

#include "base/files.hpp"
#include "hal/machine.hpp"

namespace mscale::hal {

/// Fills `online`, `isolated` and `cores` from /sys/devices/system/cpu; the cores have no node and no order
/// yet.
Result<void> read_cores(const Root& root, Machine& machine);

/// Gives each core its node; marks and notes those that lie in two.
void place_cores(Machine& machine);

/// Puts the cores in Slurm's order: packages, then nodes, then cores, each by its lowest CPU, as hwloc does
/// without caches.
void sort_cores(Machine& machine);

/// Takes the order from elsewhere when it names exactly the machine's cores, each by its CPUs; else notes
/// that `source` disagrees and keeps the present order.
void reorder_cores(Machine& machine, const std::vector<CpuSet>& order, const char* source);

} // namespace mscale::hal
