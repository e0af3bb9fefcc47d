#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "recovery/manifest.hpp"
#include "recovery/segment.hpp"

namespace mscale::recovery {

/// Which run of a job writes: a later one fences all earlier ones.
struct Incarnation {
    std::uint32_t restarts = 0; ///< Slurm's restart count of the job
    std::uint32_t step = 0;     ///< Slurm's step id: `mscale run` starts a new step after a loss
    auto operator<=>(const Incarnation&) const = default;
};

/// Whose state a snapshot is.
struct Owner {
    std::uint32_t job_id = 0;
    std::uint32_t uid = 0;
    std::uint32_t rank = 0;
    std::uint32_t ranks = 0;
    Incarnation incarnation;
    bool operator==(const Owner&) const = default;
};

/// One rank's snapshot as its header tells it.
struct SlotHeader {
    Owner owner;
    std::uint64_t epoch = 0; ///< counts the job's snapshots, from 1
    std::uint64_t step = 0;  ///< training step that the state is of
    std::uint32_t manifest_bytes = 0;
    std::uint64_t data_bytes = 0;
    bool operator==(const SlotHeader&) const = default;
};

/// A slot that was read: private copies, which the program can no longer change.
struct SealedSlot {
    SlotHeader header;
    Manifest manifest;
    std::string encoded_manifest; ///< as it lay in the slot: what is sent on
};

/// Begins a save: what the slot held is no snapshot any more.
void open_slot(const SegmentView& segment, unsigned slot);

/// Ends a save: the manifest, then the header, then the trailer that makes it a snapshot.  Sets the header's
/// sizes. save_order when manifest or data are longer than their place, or the epoch is 0.
Result<void> seal_slot(const SegmentView& segment, unsigned slot, SlotHeader header,
                       const Manifest& manifest);

/// Writes what another node sent: `encoded_manifest` as it came; save_order too when its length isn't the
/// header's.
Result<void> seal_slot(const SegmentView& segment, unsigned slot, const SlotHeader& header,
                       const std::string& encoded_manifest);

/// The snapshot in a slot, or nothing when none was begun.  A header without its trailer, a wrong checksum or
/// size: snapshot_damaged, with the epoch where it can be told; another job, user or rank than `owner`:
/// snapshot_foreign.  The data aren't read.
Result<std::optional<SealedSlot>> read_slot(const SegmentView& segment, unsigned slot, const Owner& owner);

/// What lies around the data in a slot, for whoever writes a snapshot elsewhere: from private copies, so that it is whole.
struct SlotFrame {
    std::string header, manifest, trailer;
};
SlotFrame encode_frame(const SealedSlot& sealed);
/// The header alone, out of bytes that nobody vouches for; `bytes` may be longer than it.
Result<SlotHeader> decode_slot_header(std::string_view bytes);

/// Compares the data with the checksums; names the first damaged chunk and the extents in it.
Result<void> verify_data(std::span<const std::byte> data, const Manifest& manifest);

} // namespace mscale::recovery
