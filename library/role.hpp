#pragma once

#include <string>

#include "contract/role_place.hpp"

namespace mscale::library {

/// Binds the calling thread to the cores and the NUMA node's memory that the plan gave `role`, and remembers where it was.
/// After an error the thread is where it was.
Result<void> enter_role(const std::string& role, const contract::ReadVariable& variable = contract::read_variable);

/// Takes the calling thread back to where it was before the last `enter_role` that isn't undone.  After an error that one is
/// still to be undone.
Result<void> leave_role();

} // namespace mscale::library
