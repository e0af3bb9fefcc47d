#include "recovery/piece_request.hpp"

#include "base/text.hpp"
#include "recovery/bytes.hpp"

namespace mscale::recovery {

std::uint8_t flag_of(PieceKind kind)
{
    return static_cast<std::uint8_t>(static_cast<unsigned>(kind) + 1);
}

bool asks_for_piece(const FrameHeader& header)
{
    return header.type == FrameType::fetch && header.flags != 0;
}

Result<PieceRequest> read_piece_request(const FrameHeader& header, std::string_view payload)
{
    ByteReader reader(payload);
    PieceRequest request{header.owner, header.epoch, PieceKind::data, header.offset, 0};
    request.bytes = reader.get<std::uint64_t>();
    if (header.flags == 0 || header.flags > flag_of(PieceKind::header) || reader.failed() || reader.left() != 0 ||
        request.bytes == 0 || request.bytes > most_piece_bytes)
        return failure(Code::bad_frame, format("{} bytes of a piece of kind {} can't be asked for", request.bytes,
                                               static_cast<unsigned>(header.flags)));
    request.kind = static_cast<PieceKind>(header.flags - 1);
    return request;
}

} // namespace mscale::recovery
