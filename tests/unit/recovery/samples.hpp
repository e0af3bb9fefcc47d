#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "recovery/manifest.hpp"
#include "recovery/segment.hpp"
#include "recovery/slot.hpp"

namespace mscale::recovery {

constexpr std::uint64_t mib = 1 << 20;

using Random = std::mt19937_64;

/// A number from 0 to `most`.
inline std::uint64_t pick(Random& random, std::uint64_t most)
{
    return std::uniform_int_distribution<std::uint64_t>(0, most)(random);
}

/// Any manifest that check_manifest accepts: up to 20 extents of every kind, with gaps between them.
Manifest random_manifest(Random& random);

/// A manifest with one extent of each kind, for tests that name them.
Manifest sample_manifest();

std::vector<std::byte> random_bytes(Random& random, std::size_t size);

/// A segment in this process's own memory.
struct Segment {
    explicit Segment(std::uint64_t state_bytes)
        : layout(lay_out_segment(state_bytes, SegmentLayout::page)), memory(layout.total_bytes)
    {
    }
    SegmentView view() { return {memory, layout}; }

    SegmentLayout layout;
    std::vector<std::byte> memory;
};

inline Owner sample_owner()
{
    return {.job_id = 7, .uid = 1000, .rank = 1, .ranks = 4, .incarnation = {.restarts = 2, .step = 3}};
}

} // namespace mscale::recovery
