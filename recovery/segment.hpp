#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mscale::recovery {

/// The memory of one rank: a first page of words that mscaled and the program share, then two slots, so that
/// a save never touches the snapshot before it.  All numbers are bytes from the start of the segment.
///
///     superblock | header manifest data trailer | header manifest data trailer
///
/// The memory is a memfd sealed against every change of size, created by mscaled and mapped by both sides.
struct SegmentLayout {
    static constexpr std::uint64_t page = 4096; ///< of a superblock, a header and a trailer
    static constexpr unsigned slots = 2;
    static constexpr std::uint64_t most_state_bytes = std::uint64_t(1) << 44; ///< 16 TiB

    std::uint64_t data_bytes = 0;     ///< a slot's data can hold as much
    std::uint64_t manifest_bytes = 0; ///< a slot's manifest can be as long
    std::uint64_t data_offset = 0;    ///< of the data in its slot
    std::uint64_t slot_bytes = 0;
    std::uint64_t total_bytes = 0;

    std::uint64_t header_at(unsigned slot) const { return first_slot + slot * slot_bytes; }
    std::uint64_t manifest_at(unsigned slot) const { return header_at(slot) + page; }
    std::uint64_t data_at(unsigned slot) const { return header_at(slot) + data_offset; }
    std::uint64_t trailer_at(unsigned slot) const { return header_at(slot) + slot_bytes - page; }

    static constexpr std::uint64_t first_slot = 2 << 20; ///< so that the data lie on huge pages
    bool operator==(const SegmentLayout&) const = default;
};

/// The layout for slots of `state_bytes` (of one rank) in memory of `page_bytes` (4 KiB or a huge page). The
/// manifest gets a sixteenth of the state, at least 256 KiB and at most 64 MiB.  A state over
/// most_state_bytes counts as one of most_state_bytes: the caller refuses it, and no number wraps.
SegmentLayout lay_out_segment(std::uint64_t state_bytes, std::uint64_t page_bytes);

/// A mapped segment.  Owns nothing.  The other side may write at any moment: whoever doesn't trust it copies
/// first and checks the copy.
class SegmentView {
public:
    /// `memory` has at least layout.total_bytes.
    SegmentView(std::span<std::byte> memory, const SegmentLayout& layout) : memory_(memory), layout_(layout)
    {
    }

    std::span<std::byte> header(unsigned slot) const
    {
        return part(layout_.header_at(slot), SegmentLayout::page);
    }
    std::span<std::byte> manifest(unsigned slot) const
    {
        return part(layout_.manifest_at(slot), layout_.manifest_bytes);
    }
    std::span<std::byte> data(unsigned slot) const { return part(layout_.data_at(slot), layout_.data_bytes); }
    std::span<std::byte> trailer(unsigned slot) const
    {
        return part(layout_.trailer_at(slot), SegmentLayout::page);
    }
    const SegmentLayout& layout() const { return layout_; }

    /// The newest epoch that is committed, 0 for none; written by mscaled, read by the program without a
    /// call.
    std::uint64_t committed_epoch() const;
    void set_committed_epoch(std::uint64_t epoch) const;
    /// The newest epoch that can't be committed any more, since a rank went on without it: a slot with it is
    /// free again.
    std::uint64_t abandoned_epoch() const;
    void set_abandoned_epoch(std::uint64_t epoch) const;
    /// True while a snapshot has fewer copies than promised; written by mscaled.
    bool degraded() const;
    void set_degraded(bool degraded) const;

private:
    std::span<std::byte> part(std::uint64_t at, std::uint64_t bytes) const
    {
        return memory_.subspan(at, bytes);
    }

    std::span<std::byte> memory_;
    SegmentLayout layout_;
};

} // namespace mscale::recovery
