#pragma once

#include "base/files.hpp"
#include "hal/machine.hpp"

namespace mscale::hal {

/// What the kernel of this system or of a copied tree can do; what a tree doesn't hold stays empty.
Kernel read_kernel(const Root& root);

} // namespace mscale::hal
