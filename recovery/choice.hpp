#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "recovery/commit.hpp"
#include "recovery/held_copy.hpp"
#include "recovery/rebuild_plan.hpp"

namespace mscale::recovery {

/// What the job goes on from.
struct RestoreChoice {
    CommitRecord record;
    std::vector<std::vector<HeldCopy>> sources; ///< for each rank that wrote, best first; without its coded parts
    /// For each rank that no node has in memory: how it is made of what others have.  A rank has this or a source.
    std::map<std::uint32_t, RebuildPlan> rebuilds;
    std::vector<std::string> passed_over;       ///< "epoch 12: no copy of rank 3", for each newer epoch
};

/// The newest committed epoch (as is_newer says) of which every rank's state is held somewhere, or can be made
/// of what is held of its group.  `records`
/// are those that the live nodes keep, all of one job (any of them is true, however few kept it: it was
/// written after all copies were made).  no_snapshot, with the reason for each epoch, when there is none.
/// Pure.
Result<RestoreChoice> choose_restore(const std::vector<CommitRecord>& records,
                                     const std::vector<HeldCopy>& copies);

} // namespace mscale::recovery
