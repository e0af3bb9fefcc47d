#pragma once

#include "base/json_forward.hpp"
#include "contract/site.hpp"

namespace mscale::cli {

/// Sends one request to this node's mscaled and gives its answer; an answer that says no comes back as its error.
/// The requests are those of daemon/mscaled/local_socket.hpp.
Result<Json> ask_daemon(const contract::Site& site, const Json& request);

} // namespace mscale::cli
