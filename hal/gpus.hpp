#pragma once

#include <string>

#include "base/files.hpp"
#include "hal/machine.hpp"
#include "hal/nvml.hpp"

namespace mscale::hal {

/// The GPUs as the kernel knows them: PCI devices of NVIDIA's display classes and /proc/driver/nvidia/gpus,
/// in PCI order.
std::vector<Gpu> read_kernel_gpus(const Root& root);

/// Brings NVML's answers to the GPUs with the same PCI address, in NVML's order; adds those that the kernel
/// doesn't show and leaves out, with a note, those that NVML doesn't.  `machine.numa` must be there: NVML is
/// the second source of a place that the kernel doesn't tell (numa_node = -1), and a note says when it won.
void merge_nvml(const NvmlReading& reading, Machine& machine);

/// Fills `machine.gpus`.  Asks NVML when `library` names one or, on this system, when the driver is loaded.
void read_gpus(const Root& root, const std::string& library, Machine& machine);

} // namespace mscale::hal
