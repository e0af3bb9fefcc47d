#pragma once

#include "base/json_forward.hpp"
#include "recovery/piece_request.hpp"

namespace mscale::daemon {

/// What a program that takes its part of another number of ranks' snapshot asks for by {"op":"read","rank","epoch","kind",
/// "at","bytes"}; of the owner only the rank is set.  save_order when that can't be.  Pure.
Result<recovery::PieceRequest> piece_request_from_json(const Json& packet);

} // namespace mscale::daemon
