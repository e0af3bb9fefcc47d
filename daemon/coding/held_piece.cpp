#include "daemon/coding/held_piece.hpp"

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

struct PieceSlot {
    std::shared_ptr<HeldSegment> segment;
    unsigned slot = 0;
};

/// The slot of the segment that holds the epoch of the run, or nothing.
std::optional<PieceSlot> find_slot_in(const std::shared_ptr<HeldSegment>& segment, const recovery::PieceRequest& request)
{
    if (!segment) return std::nullopt;
    const std::scoped_lock lock(segment->mutex);
    for (unsigned slot = 0; slot < segment->sealed.size(); ++slot) {
        const auto& header = segment->sealed[slot];
        if (header && header->epoch == request.epoch && header->owner.incarnation == request.owner.incarnation)
            return PieceSlot{segment, slot};
    }
    return std::nullopt;
}

Result<PieceSlot> find_piece_slot(const SegmentStore& store, const recovery::PieceRequest& request)
{
    using Kind = SegmentStore::Kind;
    const bool coded = request.kind == recovery::PieceKind::coded;
    for (const Kind kind : coded ? std::vector{Kind::coded} : std::vector{Kind::own, Kind::copy})
        if (auto held = find_slot_in(store.find(request.owner, kind), request)) return *held;
    return failure(Code::no_snapshot, format("epoch {} of job {} rank {} isn't held here", request.epoch,
                                             request.owner.job_id, request.owner.rank));
}

std::span<const std::byte> bytes_of(const std::string& text)
{
    return std::as_bytes(std::span(text.data(), text.size()));
}

std::vector<std::byte> cut_piece(std::span<const std::byte> bytes, const recovery::PieceRequest& request)
{
    const auto part = bytes.subspan(request.at, request.bytes);
    return {part.begin(), part.end()};
}

/// A part of the header's page or of the manifest.
Result<std::vector<std::byte>> cut_text(std::string text, const recovery::PieceRequest& request)
{
    if (request.kind == recovery::PieceKind::header) text.resize(recovery::SegmentLayout::page);
    if (request.at > text.size() || request.bytes > text.size() - request.at)
        return failure(Code::snapshot_damaged, format("rank {}: its {} has {} bytes", request.owner.rank,
                                                      request.kind == recovery::PieceKind::header ? "header" : "manifest",
                                                      text.size()));
    return cut_piece(bytes_of(text), request);
}

} // namespace

Result<std::vector<std::byte>> read_held_piece(const SegmentStore& store, const recovery::PieceRequest& request)
{
    const auto held = find_piece_slot(store, request);
    if (!held) return tl::unexpected(held.error());
    const recovery::SegmentView view = held->segment->memory.view();
    const auto sealed = recovery::read_slot(view, held->slot, request.owner);
    if (!sealed) return tl::unexpected(sealed.error());
    if (!*sealed || (*sealed)->header.epoch != request.epoch ||
        (*sealed)->header.owner.incarnation != request.owner.incarnation)
        return failure(Code::snapshot_damaged,
                       format("rank {}: the slot holds another snapshot than it should", request.owner.rank));
    if (request.kind == recovery::PieceKind::manifest) return cut_text((*sealed)->encoded_manifest, request);
    if (request.kind == recovery::PieceKind::header) return cut_text(recovery::encode_frame(**sealed).header, request);
    const auto data = view.data(held->slot);
    if (auto verified = recovery::verify_range(data, (*sealed)->manifest, request.at, request.bytes); !verified) {
        verified.error().text = format("rank {} epoch {}: {}", request.owner.rank, request.epoch, verified.error().text);
        return tl::unexpected(verified.error());
    }
    return cut_piece(data, request);
}

} // namespace mscale::daemon
