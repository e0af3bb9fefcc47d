#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/error.hpp"
#include "recovery/frame_stream.hpp"
#include "recovery/segment.hpp"
#include "recovery/slot.hpp"

/// Moving one rank's snapshot between keepers: a put that announces it and an ack that there is room, its data chunk by chunk,
/// its manifest, and an ack that all of it is held.
namespace mscale::recovery {

/// What the first frame says of the snapshot that follows.
struct Announcement {
    Owner owner;
    std::uint64_t epoch = 0;
    std::uint64_t step = 0;
    std::uint64_t capacity = 0;   ///< data bytes that the segment can hold: the receiver's is as large
    std::uint64_t data_bytes = 0; ///< that follow
    std::uint64_t committed = 0;  ///< newest epoch that the sender knows to be committed: the receiver keeps it, too
    bool operator==(const Announcement&) const = default;
};

/// Where an announced snapshot is to be written; it stays the receiver's alone until `receive_snapshot` returns.
struct Destination {
    SegmentView segment;
    unsigned slot = 0;
};
using Provide = std::function<Result<Destination>(const Announcement&)>;

/// Sends a snapshot and waits until the other side holds it, verified.  `data` are the slot's, at least the manifest's bytes;
/// `committed` is the newest epoch that is known to be committed, 0 none.
Result<void> send_snapshot(FrameStream& stream, const SealedSlot& sealed, std::span<const std::byte> data,
                           std::uint64_t capacity, std::uint64_t committed = 0);

/// Receives what `begin`, a put that was already read, announces: writes it to where `provide` says, compares every
/// chunk with the manifest, makes it a snapshot and acknowledges it.  After an error the slot holds no snapshot, and the other
/// side has been told the error when it is one of the snapshot's.
Result<SlotHeader> receive_snapshot(FrameStream& stream, const Frame& begin, const Provide& provide);

/// Asks for a snapshot; it is answered like a put.
Result<SlotHeader> fetch_snapshot(FrameStream& stream, const Owner& owner, std::uint64_t epoch,
                                  const Provide& provide);

/// Tells the other side an error.
Result<void> send_error(FrameStream& stream, const Error& error);

} // namespace mscale::recovery
