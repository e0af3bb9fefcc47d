#pragma once

#include <cstdint>
#include <map>

#include "daemon/keeper/holder.hpp"
#include "daemon/keeper/segment_store.hpp"
#include "recovery/commit.hpp"

/// What one mscaled leaves to the next by way of the holder.
namespace mscale::daemon {

/// The newest commit record of each job.
using CommitRecords = std::map<std::uint32_t, recovery::CommitRecord>;

/// Gives a segment to the holder; logs what goes wrong, since the snapshots are kept here all the same.
void give_to_holder(Holder& holder, HeldSegment& segment, SegmentStore::Kind kind);
Result<void> give_to_holder(Holder& holder, const recovery::CommitRecord& record);
/// Takes a segment from it.
void take_from_holder(Holder& holder, const SegmentStore::Entry& entry);

/// Fills `store` with what the holder keeps: each slot whose header and manifest are whole counts as held.  A segment that
/// isn't one of ours is named and left out.  The data are read by verify_held.
CommitRecords adopt_held(Holder& holder, SegmentStore& store);

/// What one slot held when it was read.
struct SlotCheck {
    enum class State { empty, whole, damaged, written };
    State state = State::empty; ///< written: by its program while it was read, so nothing is concluded
    recovery::Owner owner;
    std::uint64_t epoch = 0;
    std::string text; ///< what is damaged
};
/// Compares the data of a slot with their checksums; a damaged one is held no more.
SlotCheck verify_slot(HeldSegment& segment, unsigned slot);

/// Verifies all slots and names in the log what is damaged.  Takes seconds for each ten GiB.  The number of damaged slots.
unsigned verify_held(const std::vector<SegmentStore::Entry>& entries);

} // namespace mscale::daemon
