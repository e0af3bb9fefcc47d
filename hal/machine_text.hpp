#pragma once

#include <string>

#include "hal/machine.hpp"

namespace mscale::hal {

/// The machine drawn as text: a box per NUMA node with cores, huge pages and the devices near it; devices of
/// unknown place stand in a box of their own.  At most `columns` wide.
std::string draw_machine(const Machine& machine, unsigned columns);

} // namespace mscale::hal
