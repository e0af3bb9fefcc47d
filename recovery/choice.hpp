#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "recovery/commit.hpp"

namespace mscale::recovery {

/// Where a copy lies; the order is the order of preference.
enum class Tier : std::uint8_t { memory, spill };

/// One rank's snapshot on one node, verified there.
struct HeldCopy {
    std::uint32_t rank = 0;
    Incarnation incarnation; ///< of the run that wrote it
    std::uint64_t epoch = 0;
    std::uint64_t step = 0;
    std::string node;
    Tier tier = Tier::memory;
    bool operator==(const HeldCopy&) const = default;
};

/// What the job goes on from.
struct RestoreChoice {
    CommitRecord record;
    std::vector<std::vector<HeldCopy>> sources; ///< for each rank that wrote, best first; none is empty
    std::vector<std::string> passed_over;       ///< "epoch 12: no copy of rank 3", for each newer epoch
};

/// The newest committed epoch (as is_newer says) of which every rank's state is held somewhere.  `records`
/// are those that the live nodes keep, all of one job (any of them is true, however few kept it: it was
/// written after all copies were made).  no_snapshot, with the reason for each epoch, when there is none.
/// Pure.
Result<RestoreChoice> choose_restore(const std::vector<CommitRecord>& records,
                                     const std::vector<HeldCopy>& copies);

} // namespace mscale::recovery
