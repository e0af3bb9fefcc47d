#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "recovery/extent.hpp"
#include "recovery/reshard.hpp"

namespace mscale::recovery {

/// A part of a tensor: along each axis from `low` to before `high`.
struct Box {
    std::vector<std::uint64_t> low, high;
    bool operator==(const Box&) const = default;
};

Box box_of(const Extent& extent);
/// The elements in it; of a tensor without axes one.
std::uint64_t volume_of(const Box& box);
/// What two boxes of the same number of axes have in common, or nothing when that is no element.
std::optional<Box> intersect(const Box& a, const Box& b);

/// Appends the runs of bytes that `source` (of `rank`) and `wanted`, two parts of one tensor, have in common;
/// false when the plan becomes longer than most_pieces.
bool append_runs(std::vector<ReadPiece>& pieces, std::uint32_t rank, const Extent& source,
                 const Extent& wanted);

} // namespace mscale::recovery
