#pragma once

#include <cstddef>
#include <vector>

#include "daemon/keeper/segment_store.hpp"
#include "recovery/piece_transfer.hpp"

namespace mscale::daemon {

/// A piece of what this node holds, whose chunks were compared with their checksums: of the rank's own snapshot or a whole copy
/// of it, or of its coded part; or of what lies around the data.  no_snapshot when the epoch of that run isn't held here,
/// snapshot_damaged when it isn't as it was saved.  For any thread.
Result<std::vector<std::byte>> read_held_piece(const SegmentStore& store, const recovery::PieceRequest& request);

} // namespace mscale::daemon
