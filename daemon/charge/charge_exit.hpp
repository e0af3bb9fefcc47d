#pragma once

namespace mscale::daemon {

/// How mscale-charge ends where it isn't 0.
enum class ChargeExit { no_room = 1, misuse = 2, outside = 3 };

} // namespace mscale::daemon
