#pragma once

#include "base/error.hpp"
#include "mscale/mscale.h"

namespace mscale::library {

/// What a program is told about an error; the text is mscale_last_error.
mscale_status to_status(const Error& error);

/// As `to_status`, for a join: a program that isn't known to its keeper must not start, since it can't know what to go
/// on from.
mscale_status to_join_status(const Error& error);

} // namespace mscale::library
