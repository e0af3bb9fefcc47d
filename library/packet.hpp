#pragma once

#include "base/json.hpp"
#include "library/channel.hpp"

namespace mscale::library {

/// What the keeper sent.
struct Channel::Packet {
    Json message;
    Fd descriptor; ///< empty when none was passed
};

} // namespace mscale::library
