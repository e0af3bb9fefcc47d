#pragma once

#include <string>

#include "base/files.hpp"

namespace mscale::hal {

// Whether a device that was found before is still there.  A few reads of sysfs: cheap enough to ask every second.

/// The state of a port named as "mlx5_0:1": "ACTIVE", "DOWN", …; "" when the adapter or the port is gone.
std::string read_port_state(const Root& root, const std::string& port);

/// True while a disk of this name is there and has this serial number, where both are known: after one was pulled, another
/// may get its name.
bool has_disk(const Root& root, const std::string& name, const std::string& serial);

} // namespace mscale::hal
