#pragma once

#include "base/files.hpp"
#include "hal/machine.hpp"

namespace mscale::hal {

/// Fills `machine.numa` from /sys/devices/system/node.  `machine.online` must be there already: a kernel
/// without NUMA has one node with all CPUs, and a note says so.  An error when a node can't be read.
Result<void> read_numa(const Root& root, Machine& machine);

} // namespace mscale::hal
