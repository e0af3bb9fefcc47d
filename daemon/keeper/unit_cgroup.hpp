#pragma once

#include <sys/types.h>

#include "base/files.hpp"

namespace mscale::daemon {

/// Moves a process that this daemon started out of the daemon's own cgroup, where there is a cgroup v2 to move in.
///
/// What is done to the unit of mscaled must not be done to the holder: MemoryMax= and systemd-oomd kill a cgroup as a whole, a
/// drop-in may change KillMode=, and a unit with left-over processes is named in the journal at every start.  The new place is
/// a cgroup below the root that systemd has no unit for, and so leaves alone.  A failure is logged: the holder runs all the same.
void leave_unit_cgroup(pid_t process, const Root& root = Root());

} // namespace mscale::daemon
