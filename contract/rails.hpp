#pragma once

#include <vector>

#include "hal/machine.hpp"

namespace mscale::contract {

/// The RDMA port's own state, never that of its network device, which reads "down" on many healthy rails.
bool is_active(const hal::RdmaPort& port);

/// The active ports that count as rails: InfiniBand ones, or Ethernet ones on a machine without any
/// InfiniBand.
std::vector<const hal::RdmaPort*> active_rails(const hal::Machine& machine);

/// For each GPU (null: none) the rail nearest by PCIe switch, none given twice; null where none is left.
/// Pairs with the most bridges in common are made first, so the result doesn't depend on how GPUs and ports
/// are numbered.
std::vector<const hal::RdmaPort*> pair_rails(const hal::Machine& machine,
                                             const std::vector<const hal::Gpu*>& gpus);

} // namespace mscale::contract
