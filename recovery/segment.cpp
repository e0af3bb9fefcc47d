#include "recovery/segment.hpp"

#include <algorithm>
#include <atomic>

namespace mscale::recovery {
namespace {

constexpr std::uint64_t committed_word = 0; // places of the shared words in the superblock
constexpr std::uint64_t degraded_word = 8;
constexpr std::uint64_t abandoned_word = 16;
constexpr std::uint64_t huge_page = 2 << 20;

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t to)
{
    return (bytes + to - 1) / to * to;
}

std::atomic_ref<std::uint64_t> shared_word(std::span<std::byte> memory, std::uint64_t at)
{
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory.data() + at));
}

} // namespace

SegmentLayout lay_out_segment(std::uint64_t state_bytes, std::uint64_t page_bytes)
{
    SegmentLayout layout;
    state_bytes = std::min(state_bytes, SegmentLayout::most_state_bytes);
    const std::uint64_t manifest = std::clamp<std::uint64_t>(state_bytes / 16, 256 << 10, 64 << 20);
    layout.data_bytes = round_up(state_bytes, SegmentLayout::page);
    layout.manifest_bytes = round_up(manifest, SegmentLayout::page);
    layout.data_offset = round_up(SegmentLayout::page + layout.manifest_bytes, huge_page);
    layout.slot_bytes = round_up(layout.data_offset + layout.data_bytes + SegmentLayout::page, huge_page);
    layout.total_bytes =
        round_up(SegmentLayout::first_slot + SegmentLayout::slots * layout.slot_bytes, page_bytes);
    return layout;
}

std::uint64_t SegmentView::committed_epoch() const
{
    return shared_word(memory_, committed_word).load(std::memory_order_acquire);
}

void SegmentView::set_committed_epoch(std::uint64_t epoch) const
{
    shared_word(memory_, committed_word).store(epoch, std::memory_order_release);
}

std::uint64_t SegmentView::abandoned_epoch() const
{
    return shared_word(memory_, abandoned_word).load(std::memory_order_acquire);
}

void SegmentView::set_abandoned_epoch(std::uint64_t epoch) const
{
    shared_word(memory_, abandoned_word).store(epoch, std::memory_order_release);
}

bool SegmentView::degraded() const
{
    return shared_word(memory_, degraded_word).load(std::memory_order_acquire) != 0;
}

void SegmentView::set_degraded(bool degraded) const
{
    shared_word(memory_, degraded_word).store(degraded ? 1 : 0, std::memory_order_release);
}

} // namespace mscale::recovery
