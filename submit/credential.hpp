#pragma once

#include <string>

#include "base/error.hpp"

namespace mscale::submit {

/// `payload` as a munge credential of this process's user with the longest life that munged grants.  The
/// nodes believe it after it has expired, too: a job waits for days (DESIGN §1).  `socket`: "" is munge's own
/// default.
Result<std::string> seal(const std::string& payload, const std::string& socket);

} // namespace mscale::submit
