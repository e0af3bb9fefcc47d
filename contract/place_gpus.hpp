#pragma once

#include <vector>

#include "contract/draft.hpp"

namespace mscale::contract {

/// The GPU of this index or address, or null.
const hal::Gpu* find_gpu(const hal::Machine& machine, const GpuName& name);

/// The GPUs that the workers may hold: those that Slurm granted, whole or by slices, else all of the machine.
std::vector<const hal::Gpu*> offered_gpus(Draft& draft);

/// True for a GPU that has failed under the job.
bool has_failed(const Draft& draft, const hal::Gpu& gpu);

/// Gives each worker one of `gpus`: granted ones in order, else the one with the most free room, near usable
/// cores and, when the contract pairs them, in a PCIe domain with a disk.  Tells of rounding.
void place_gpus(Draft& draft, const std::vector<const hal::Gpu*>& gpus);

} // namespace mscale::contract
