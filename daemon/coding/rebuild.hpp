#pragma once

#include <optional>

#include "daemon/keeper/segment_store.hpp"
#include "recovery/rebuild_plan.hpp"

namespace mscale::daemon {

/// Why a rank's snapshot couldn't be made of its group's parts.
struct RebuildFailure {
    Error why;
    std::optional<recovery::GroupPiece> piece; ///< that couldn't be read; nothing where the sum isn't what was saved
};

/// Makes the snapshot of `record` in a slot of `own`, its rank's memory, out of the parts of the plan, and compares it with its
/// checksums.  The slot.  `read` may block.
tl::expected<unsigned, RebuildFailure> rebuild_snapshot(HeldSegment& own, const recovery::CommitRecord& record,
                                                        const recovery::RebuildPlan& plan, const recovery::PieceReader& read);

} // namespace mscale::daemon
