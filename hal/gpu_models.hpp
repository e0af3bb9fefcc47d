#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hal/machine.hpp"

namespace mscale::hal {

/// The marketing name of an NVIDIA GPU by its PCI device id, as the driver would spell it; "" when not in the
/// table.
std::string gpu_name_of(std::uint16_t pci_device);

/// Fills what the GPU itself didn't say (SMs, memory, compute capability) from the table of models; SMs found
/// there are marked "architecture".  Then derives what follows from the compute capability: chunk and
/// abilities.
void complete_gpu(Gpu& gpu);

/// CUDA cores of one SM, by compute capability ("9.0"); 0 when unknown.  NVML counts cores, contracts count
/// SMs.
unsigned cores_per_sm(std::string_view compute_capability);

} // namespace mscale::hal
