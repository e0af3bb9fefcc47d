#include "daemon/coding/rebuild.hpp"

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

/// Where the snapshot is made.
struct RebuildTarget {
    recovery::Owner owner; ///< as the record has it
    unsigned slot = 0;
};

RebuildTarget begin_rebuild(HeldSegment& own, const recovery::CommitRecord& record)
{
    const std::scoped_lock lock(own.mutex);
    const RebuildTarget target{recovery::owner_in(record, own.owner), SegmentStore::choose_slot(own, record.epoch)};
    own.sealed[target.slot].reset();
    recovery::open_slot(own.memory.view(), target.slot);
    return target;
}

Result<recovery::Manifest> read_rebuilt_manifest(const recovery::CodedGroup& group, unsigned member,
                                                 const std::string& encoded, std::uint64_t room)
{
    auto manifest = recovery::decode_manifest(encoded);
    if (!manifest) return manifest;
    const std::uint64_t bytes = group.members[member].data_bytes;
    if (manifest->data_bytes != bytes)
        return failure(Code::snapshot_damaged,
                       format("the manifest is of {} bytes and the group's of {}", manifest->data_bytes, bytes));
    if (bytes > room) return failure(Code::snapshot_room, format("{} bytes don't fit the segment of {}", bytes, room));
    return manifest;
}

Result<recovery::SlotHeader> write_rebuilt(const HeldSegment& own, const RebuildTarget& target,
                                           const recovery::CommitRecord& record, const recovery::RebuildPlan& plan,
                                           const recovery::PieceReader& read)
{
    const recovery::SegmentView view = own.memory.view();
    const auto member = plan.group.find(target.owner.rank);
    if (!member) return failure(Code::parts_lost, format("rank {} isn't of the group", target.owner.rank));
    const auto encoded = recovery::rebuild_manifest(plan.group, *member, plan.parts(), read);
    if (!encoded) return tl::unexpected(encoded.error());
    const auto manifest = read_rebuilt_manifest(plan.group, *member, *encoded, view.layout().data_bytes);
    if (!manifest) return tl::unexpected(manifest.error());
    const auto place = view.data(target.slot).first(manifest->data_bytes);
    if (auto done = recovery::rebuild_shard(plan.group, *member, plan.parts(), read, place); !done)
        return tl::unexpected(std::move(done.error()));
    if (auto verified = recovery::verify_data(place, *manifest); !verified) return tl::unexpected(std::move(verified.error()));
    const recovery::SlotHeader header{target.owner, record.epoch, record.step, static_cast<std::uint32_t>(encoded->size()),
                                      manifest->data_bytes};
    if (auto sealed = recovery::seal_slot(view, target.slot, header, *encoded); !sealed)
        return tl::unexpected(std::move(sealed.error()));
    return header;
}

} // namespace

tl::expected<unsigned, RebuildFailure> rebuild_snapshot(HeldSegment& own, const recovery::CommitRecord& record,
                                                        const recovery::RebuildPlan& plan, const recovery::PieceReader& read)
{
    std::optional<recovery::GroupPiece> failed;
    const auto watched = [&](const recovery::GroupPiece& piece, std::span<std::byte> place) {
        auto done = read(piece, place);
        if (!done) failed = piece;
        return done;
    };
    const RebuildTarget target = begin_rebuild(own, record);
    auto header = write_rebuilt(own, target, record, plan, watched);
    if (!header) return tl::unexpected(RebuildFailure{std::move(header.error()), failed});
    SegmentStore::seal(own, target.slot, *header);
    return target.slot;
}

} // namespace mscale::daemon
