#pragma once

#include <string>

#include "hal/machine.hpp"

namespace mscale::contract {

/// The port's state and link: "mlx5_0:1 is DOWN, …"; that its state isn't known where the machine doesn't tell it.
std::string describe_state(const hal::RdmaPort& port);

/// Why no rail can be had of a machine without an active port: there is no port, none is active, or of some it isn't known.
std::string describe_inactive(const hal::Machine& machine);

/// What to do then.  Where a state isn't known: the file that tells it, on the machine itself.
std::string cure_inactive(const hal::Machine& machine);

/// "mlx5_0:1, mlx5_1:1"
std::string list_ports(const hal::Machine& machine);

} // namespace mscale::contract
