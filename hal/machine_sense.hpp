#pragma once

#include "base/error.hpp"
#include "hal/machine.hpp"

namespace mscale::hal {

/// Whether the parts of a machine that came from a text fit together, as those of a real one do: CPUs and cores belong to one
/// NUMA node each, what is named exists and isn't there twice, no more is free than there is.  Code::json_member with every
/// fault and its JSON pointer below `what` ("a.json"); pure.
Result<void> check_sense(const Machine& machine, const std::string& what);

} // namespace mscale::hal
