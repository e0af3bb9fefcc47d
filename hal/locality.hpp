#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/files.hpp"
#include "hal/machine.hpp"

namespace mscale::hal {

/// Where the PCI device behind a sysfs path lies ("/sys/class/nvme/nvme0/device").  numa_node = -1 gives no
/// node and no CPUs, whatever local_cpulist says: the kernel lists all CPUs then.  Root and bridges come from
/// the resolved path.
Locality read_locality(const Root& root, const std::string& device_path);

/// The PCI function a sysfs path leads to, the innermost of its resolved path; nothing for a device without
/// one.
std::optional<PciAddress> find_pci_address(const Root& root, const std::string& path);

/// "/sys/bus/pci/devices/0000:1b:00.0"
std::string pci_device_path(const PciAddress& address);

/// Fills root bus and bridges from a resolved path as
/// /sys/devices/pci0000:15/0000:15:01.0/0000:17:01.0/0000:1b:00.0.
void read_pci_path(std::string_view resolved, Locality& locality);

} // namespace mscale::hal
