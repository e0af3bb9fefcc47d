#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "daemon/keeper/segment_memory.hpp"
#include "recovery/checksum.hpp"
#include "recovery/slot.hpp"
#include "tests/unit/check.hpp"

namespace mscale {

inline constexpr recovery::Owner sample_owner{7, 1000, 2, 4, {0, 3}};

/// Memory for a state of `bytes`.
inline daemon::SegmentMemory make_segment(std::uint64_t bytes)
{
    auto memory = daemon::SegmentMemory::create("test", recovery::lay_out_segment(bytes, 4096));
    ck_assert(memory.has_value());
    return std::move(*memory);
}

/// Saves `bytes` of a pattern as epoch `epoch` into a slot; the pattern depends on the epoch.
inline void save_pattern(const recovery::SegmentView& view, unsigned slot, std::uint64_t epoch,
                         std::uint64_t bytes, const recovery::Owner& owner = sample_owner)
{
    const auto data = view.data(slot).first(bytes);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 31 + epoch);
    recovery::Manifest manifest{bytes, {}, recovery::crc32c_chunks(data)};
    manifest.extents.push_back(
        {"state", recovery::ExtentKind::opaque, recovery::DataType::bytes, {}, {}, {}, 0, bytes});
    recovery::open_slot(view, slot);
    ck_assert(recovery::seal_slot(view, slot, {owner, epoch, epoch * 10, 0, bytes}, manifest).has_value());
}

} // namespace mscale
