#include "recovery/piece_transfer.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "recovery/bytes.hpp"
#include "recovery/checksum.hpp"

namespace mscale::recovery {
namespace {

FrameHeader piece_header(FrameType type, const PieceRequest& request, std::uint64_t at)
{
    FrameHeader header;
    header.type = type;
    header.flags = flag_of(request.kind);
    header.owner = request.owner;
    header.epoch = request.epoch;
    header.offset = at;
    return header;
}

} // namespace

Result<void> fetch_piece(FrameStream& stream, const PieceRequest& request, std::span<std::byte> place)
{
    ByteWriter writer;
    writer.put(request.bytes);
    if (auto sent = stream.send(piece_header(FrameType::fetch, request, request.at), writer.bytes()); !sent) return sent;
    for (std::size_t done = 0; done < place.size();) {
        const auto frame = stream.receive_into(place.subspan(done));
        if (!frame) return tl::unexpected(frame.error());
        if (frame->type != FrameType::data || frame->flags != flag_of(request.kind) || frame->epoch != request.epoch ||
            frame->offset != request.at + done || frame->length == 0)
            return failure(Code::bad_frame, format("a piece of epoch {} is out of order", request.epoch));
        done += frame->length;
    }
    return {};
}

Result<void> send_piece(FrameStream& stream, const PieceRequest& request, std::span<const std::byte> piece)
{
    for (std::size_t at = 0; at < piece.size(); at += chunk_bytes) {
        const auto part = piece.subspan(at, std::min<std::size_t>(chunk_bytes, piece.size() - at));
        if (auto sent = stream.send(piece_header(FrameType::data, request, request.at + at), part); !sent) return sent;
    }
    return {};
}

Result<void> verify_range(std::span<const std::byte> data, const Manifest& manifest, std::uint64_t at, std::uint64_t bytes)
{
    if (manifest.data_bytes > data.size() || at > manifest.data_bytes || bytes > manifest.data_bytes - at)
        return failure(Code::snapshot_damaged,
                       format("{} bytes from {} on aren't in the {} of the snapshot", bytes, at, manifest.data_bytes));
    if (bytes == 0) return {};
    const std::size_t first = at / chunk_bytes, last = (at + bytes - 1) / chunk_bytes;
    const std::uint64_t begin = first * chunk_bytes,
                        end = std::min<std::uint64_t>(manifest.data_bytes, (last + 1) * chunk_bytes);
    const auto wanted = std::span(manifest.chunks).subspan(first, last - first + 1);
    const std::size_t damaged_chunk = find_damaged_chunk(data.subspan(begin, end - begin), wanted);
    if (damaged_chunk == wanted.size()) return {};
    return failure(Code::snapshot_damaged,
                   format("chunk {} of {} isn't what was saved", first + damaged_chunk, manifest.chunks.size()));
}

} // namespace mscale::recovery
