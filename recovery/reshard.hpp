#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "recovery/manifest.hpp"

namespace mscale::recovery {

/// Bytes that are copied from a rank's snapshot into an extent: `count` runs of `bytes`.
struct ReadPiece {
    std::uint32_t rank = 0;        ///< whose snapshot
    std::uint64_t from = 0;        ///< where the first run begins in its slot's data
    std::uint64_t to = 0;          ///< and in the wanted extent
    std::uint64_t bytes = 0;       ///< of one run
    std::uint64_t count = 1;       ///< of runs
    std::uint64_t from_stride = 0; ///< from one run to the next
    std::uint64_t to_stride = 0;
    bool operator==(const ReadPiece&) const = default;
};

/// What fills one extent, every byte once.
struct ReadPlan {
    std::vector<ReadPiece> pieces;
    std::uint64_t bytes = 0; ///< all that is read
    /// The pieces are the cursors of all ranks, one after the other: the reader joins and splits them
    /// (cursor.hpp).
    bool is_cursors = false;
    bool operator==(const ReadPlan&) const = default;
};

inline constexpr std::size_t most_pieces = 1 << 20; ///< of a plan; more runs of so few bytes are no plan

/// How rank `rank` of `ranks` gets `wanted` from the snapshots of the ranks that wrote (their manifests, by
/// rank).  Of a tensor any part of the same global tensor may be wanted; of the other kinds only the name and
/// kind count.  Where several ranks hold the same part the rank's own is preferred, else readers are spread
/// over them.  reshape, with the reason: an opaque extent and another number of ranks, another type or global
/// shape, a hole, parts that overlap without being the same.  Pure.
Result<ReadPlan> plan_read(std::span<const Manifest> written, const Extent& wanted, std::uint32_t rank,
                           std::uint32_t ranks);

} // namespace mscale::recovery
