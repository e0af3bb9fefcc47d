#pragma once

#include <vector>

#include "base/files.hpp"
#include "hal/machine.hpp"

namespace mscale::hal {

/// The ports of all RDMA devices.  A port's health is its own state, never that of a network device: IPoIB
/// devices of active ports are often down.
std::vector<RdmaPort> read_rdma_ports(const Root& root);

} // namespace mscale::hal
