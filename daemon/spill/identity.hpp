#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace mscale::daemon {

/// Makes this process, which is root's and has one thread, one of the user's: uid, gid, the groups that the user is in, no
/// capability, and no way back, which is tried.  The user's name, or why the process must go no further.  Root itself is
/// refused: nothing would be given up.
Result<std::string> become_user(std::uint32_t uid, std::uint32_t gid);

} // namespace mscale::daemon
