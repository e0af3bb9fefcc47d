#pragma once

#include <vector>

#include "base/files.hpp"
#include "hal/machine.hpp"

namespace mscale::hal {

/// The whole visible block devices with hardware behind them.  Left out: hidden legs of NVMe multipath,
/// virtual devices (loop, ram, device mapper, md) and removable optical drives.  A multipath head takes
/// queues and place of its first leg.
std::vector<Disk> read_disks(const Root& root);

} // namespace mscale::hal
