#pragma once

#include <chrono>
#include <string>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace mscale::slicing {

using Clock = std::chrono::steady_clock;

/// Opens (making it, 0600, root only) and locks the file with flock(2); the lock lives as long as the
/// descriptor. Code::deadline when somebody else still holds it at `until`.  A file that was unlinked
/// meanwhile is opened anew.
Result<Fd> lock_file(const std::string& path, Clock::time_point until);

} // namespace mscale::slicing
