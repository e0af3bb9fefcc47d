#pragma once

#include "daemon/keeper/segment_store.hpp"
#include "recovery/coded_part.hpp"

namespace mscale::daemon {

/// One rank's coded part of one epoch, as it is to be made.
struct CodedOrder {
    recovery::Owner owner;      ///< of the rank in this run: whose the memory is
    recovery::SlotHeader shard; ///< the rank's own snapshot: of which run, epoch and step
    recovery::CodedGroup group;
    std::uint64_t room = 0; ///< bytes of data that its memory must have, the same for every epoch of the run
};

/// Makes the coded part in the store, out of what `read` gives, and compares nothing again that is held already.  Its header.
/// May block.
Result<recovery::SlotHeader> write_coded_slot(SegmentStore& store, const CodedOrder& order, const recovery::PieceReader& read);

} // namespace mscale::daemon
