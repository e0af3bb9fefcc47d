#include "daemon/coding/coded_slot.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

/// A slot with the same epoch, of another group, is kept until the new one is whole.
struct CodedPlace {
    unsigned slot = 0;
    std::optional<unsigned> replaced;
    std::optional<recovery::SlotHeader> held; ///< what is to be made is there already
};

CodedPlace choose_coded_place(HeldSegment& segment, const CodedOrder& order)
{
    const std::scoped_lock lock(segment.mutex);
    const auto found = SegmentStore::find_slot(segment, order.shard.epoch);
    const bool same_run = found && segment.sealed[*found]->owner.incarnation == order.shard.owner.incarnation;
    if (same_run && segment.groups[*found] == order.group) return {*found, std::nullopt, segment.sealed[*found]};
    // The same epoch of a run that was fenced before it was committed is nobody's.
    const unsigned other = found ? (same_run ? 1 - *found : *found) : 0;
    const unsigned slot = found ? other : SegmentStore::choose_slot(segment, order.shard.epoch);
    segment.sealed[slot].reset();
    recovery::open_slot(segment.memory.view(), slot);
    return {slot, same_run ? found : std::nullopt, std::nullopt};
}

void clear_slot(HeldSegment& segment, unsigned slot)
{
    const std::scoped_lock lock(segment.mutex);
    segment.sealed[slot].reset();
    recovery::open_slot(segment.memory.view(), slot);
}

} // namespace

Result<recovery::SlotHeader> write_coded_slot(SegmentStore& store, const CodedOrder& order, const recovery::PieceReader& read)
{
    const auto member = order.group.find(order.owner.rank);
    if (!member) return failure(Code::save_order, format("rank {} isn't of the group", order.owner.rank));
    // Never smaller than it is: what it holds of an earlier epoch may be needed.
    const auto before = store.find(order.owner, SegmentStore::Kind::coded);
    const std::uint64_t room = std::max(order.room, before ? before->memory.view().layout().data_bytes : 0);
    const auto segment = store.provide(order.owner, room, SegmentStore::Kind::coded);
    if (!segment) return tl::unexpected(segment.error());
    const CodedPlace place = choose_coded_place(**segment, order);
    if (place.held) return *place.held;
    const recovery::SegmentView view = (*segment)->memory.view();
    const std::uint64_t bytes = recovery::count_coded_bytes(order.group, *member);
    if (bytes > view.layout().data_bytes)
        return failure(Code::snapshot_room, format("a coded part of {} bytes doesn't fit {}", bytes, view.layout().data_bytes));
    auto manifest = recovery::write_coded_part(order.group, *member, read, view.data(place.slot).first(bytes));
    if (!manifest) return tl::unexpected(std::move(manifest.error()));
    const std::string encoded = recovery::encode_manifest(*manifest);
    const recovery::SlotHeader header{order.shard.owner, order.shard.epoch, order.shard.step,
                                      static_cast<std::uint32_t>(encoded.size()), bytes};
    if (auto sealed = recovery::seal_slot(view, place.slot, header, encoded); !sealed)
        return tl::unexpected(std::move(sealed.error()));
    SegmentStore::seal(**segment, place.slot, header, order.group);
    if (place.replaced) clear_slot(**segment, *place.replaced);
    return header;
}

} // namespace mscale::daemon
