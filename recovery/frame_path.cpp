#include "recovery/frame_path.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "recovery/checksum.hpp"
#include "recovery/frame_stream.hpp"

namespace mscale::recovery {

Result<std::string> FramePath::open(std::span<std::byte>)
{
    return std::string();
}

Result<std::vector<std::uint32_t>> FramePath::receive(FrameStream& stream, const SlotHeader& header,
                                                      std::span<std::byte> place)
{
    std::vector<std::uint32_t> chunks;
    for (std::size_t at = 0; at < place.size(); at += chunk_bytes) {
        const std::size_t due = std::min<std::size_t>(chunk_bytes, place.size() - at);
        const auto frame = stream.receive_into(place.subspan(at, due));
        if (!frame) return tl::unexpected(frame.error());
        if (frame->type != FrameType::put || frame->offset != at || frame->length != due ||
            frame->epoch != header.epoch)
            return failure(Code::bad_frame,
                           format("chunk {} of epoch {} is out of order", at / chunk_bytes, header.epoch));
        chunks.push_back(frame->checksum);
    }
    return chunks;
}

Result<void> FramePath::send(FrameStream& stream, const SlotHeader& header, std::string_view,
                             std::span<const std::byte> data)
{
    FrameHeader frame;
    frame.type = FrameType::put;
    frame.owner = header.owner;
    frame.epoch = header.epoch;
    for (std::size_t at = 0; at < data.size(); at += chunk_bytes) {
        frame.offset = at;
        const auto chunk = data.subspan(at, std::min<std::size_t>(chunk_bytes, data.size() - at));
        if (auto sent = stream.send(frame, chunk); !sent) return sent;
    }
    return {};
}

} // namespace mscale::recovery
