#include "recovery/transfer.hpp"

#include <tuple>

#include "base/json.hpp"
#include "base/text.hpp"
#include "recovery/bytes.hpp"

namespace mscale::recovery {
namespace {

constexpr std::uint8_t begins = 1; // flag of the put that announces

FrameHeader header_of(FrameType type, const Owner& owner, std::uint64_t epoch)
{
    FrameHeader header;
    header.type = type;
    header.owner = owner;
    header.epoch = epoch;
    return header;
}

std::string encode_announcement(const SlotHeader& header, std::uint64_t capacity, std::uint64_t committed)
{
    ByteWriter writer;
    writer.put(header.step);
    writer.put(capacity);
    writer.put(header.data_bytes);
    writer.put(committed);
    return writer.bytes();
}

Result<Announcement> read_announcement(const Frame& frame)
{
    ByteReader reader(frame.payload);
    Announcement announced{frame.header.owner, frame.header.epoch};
    announced.step = reader.get<std::uint64_t>();
    announced.capacity = reader.get<std::uint64_t>();
    announced.data_bytes = reader.get<std::uint64_t>();
    if (reader.left() > 0) announced.committed = reader.get<std::uint64_t>(); // an older keeper doesn't say it
    if (frame.header.type != FrameType::put || frame.header.flags != begins || reader.failed() ||
        reader.left() != 0)
        return failure(Code::bad_frame, "a snapshot came without its announcement");
    if (announced.data_bytes > announced.capacity || announced.epoch == 0)
        return failure(Code::bad_frame, format("{} bytes of epoch {} were announced for room of {}",
                                               announced.data_bytes, announced.epoch, announced.capacity));
    return announced;
}

Result<std::string> receive_manifest(FrameStream& stream, const Announcement& announced,
                                     const std::vector<std::uint32_t>& chunks)
{
    auto frame = stream.receive();
    if (!frame) return tl::unexpected(std::move(frame.error()));
    if (frame->header.type != FrameType::seal)
        return failure(Code::bad_frame, "a snapshot ends without its manifest");
    const auto manifest = decode_manifest(frame->payload);
    if (!manifest) return tl::unexpected(manifest.error());
    if (manifest->data_bytes != announced.data_bytes || manifest->chunks != chunks)
        return failure(Code::snapshot_damaged,
                       format("epoch {} of rank {}: the data that came aren't those of the manifest",
                              announced.epoch, announced.owner.rank));
    return std::move(frame->payload);
}

/// The part of the slot that the data will fill.
std::span<std::byte> place_of(const Announcement& announced, const Destination& destination)
{
    return destination.segment.data(destination.slot).first(announced.data_bytes);
}

Result<SlotHeader> fill(FrameStream& stream, const Announcement& announced, const Destination& destination)
{
    SlotHeader header{announced.owner, announced.epoch, announced.step, 0, announced.data_bytes};
    const auto chunks = stream.path().receive(stream, header, place_of(announced, destination));
    if (!chunks) return tl::unexpected(chunks.error());
    const auto manifest = receive_manifest(stream, announced, *chunks);
    if (!manifest) return tl::unexpected(manifest.error());
    header.manifest_bytes = static_cast<std::uint32_t>(manifest->size());
    if (auto sealed = seal_slot(destination.segment, destination.slot, header, *manifest); !sealed)
        return tl::unexpected(std::move(sealed.error()));
    return header;
}

/// The first copy of a rank takes memory, all of which is written before it is used.
std::chrono::milliseconds room_limit(std::uint64_t capacity)
{
    constexpr std::uint64_t bytes_a_ms = 32 << 10; // a machine where each page that is new is dear
    return std::chrono::seconds(10) + std::chrono::milliseconds(SegmentLayout::slots * capacity / bytes_a_ms);
}

/// What the other side says with it.
Result<std::string> read_ack(Result<Frame> answer, std::uint64_t epoch)
{
    if (!answer) return tl::unexpected(std::move(answer.error()));
    if (answer->header.type == FrameType::ack && answer->header.epoch == epoch)
        return std::move(answer->payload);
    return failure(Code::bad_frame, format("epoch {} was not acknowledged", epoch));
}

/// What is wrong with the snapshot is told; after what is wrong with the stream nobody listens.
Result<SlotHeader> tell(FrameStream& stream, Result<SlotHeader> received)
{
    if (received) {
        const auto sent =
            stream.send(header_of(FrameType::ack, received->owner, received->epoch), std::string_view());
        if (!sent) return tl::unexpected(sent.error());
    } else if (received.error().code != Code::peer && received.error().code != Code::bad_frame) {
        std::ignore = send_error(stream, received.error());
    }
    return received;
}

} // namespace

Result<void> send_snapshot(FrameStream& stream, const SealedSlot& sealed, std::span<const std::byte> data,
                           std::uint64_t capacity, std::uint64_t committed)
{
    const SlotHeader& slot = sealed.header;
    FrameHeader first = header_of(FrameType::put, slot.owner, slot.epoch);
    first.flags = begins;
    if (auto sent = stream.send(first, encode_announcement(slot, capacity, committed)); !sent) return sent;
    const auto opened = read_ack(stream.receive(room_limit(capacity)), slot.epoch);
    if (!opened) return tl::unexpected(opened.error());
    if (auto sent = stream.path().send(stream, slot, *opened, data.first(slot.data_bytes)); !sent)
        return sent;
    if (auto sent = stream.send(header_of(FrameType::seal, slot.owner, slot.epoch), sealed.encoded_manifest);
        !sent)
        return sent;
    const auto held = read_ack(stream.receive(), slot.epoch);
    if (!held) return tl::unexpected(held.error());
    return {};
}

Result<SlotHeader> receive_snapshot(FrameStream& stream, const Frame& begin, const Provide& provide)
{
    const auto announced = read_announcement(begin);
    if (!announced) return tl::unexpected(announced.error());
    const auto destination = provide(*announced);
    if (!destination) return tell(stream, tl::unexpected(destination.error()));
    if (destination->segment.layout().data_bytes < announced->data_bytes ||
        destination->slot >= SegmentLayout::slots)
        return tell(stream, failure(Code::snapshot_room,
                                    format("{} bytes don't fit the segment", announced->data_bytes)));
    open_slot(destination->segment, destination->slot);
    const auto opened = stream.path().open(place_of(*announced, *destination));
    if (!opened) return tell(stream, tl::unexpected(opened.error()));
    const auto ready = stream.send(header_of(FrameType::ack, announced->owner, announced->epoch), *opened);
    if (!ready) return tl::unexpected(ready.error());
    return tell(stream, fill(stream, *announced, *destination));
}

Result<SlotHeader> fetch_snapshot(FrameStream& stream, const Owner& owner, std::uint64_t epoch,
                                  const Provide& provide)
{
    if (auto sent = stream.send(header_of(FrameType::fetch, owner, epoch), std::string_view()); !sent)
        return tl::unexpected(std::move(sent.error()));
    const auto begin = stream.receive();
    if (!begin) return tl::unexpected(begin.error());
    if (begin->header.owner.job_id != owner.job_id || begin->header.owner.rank != owner.rank ||
        begin->header.epoch != epoch)
        return failure(Code::snapshot_foreign, "another snapshot came than the one that was asked for");
    return receive_snapshot(stream, *begin, provide);
}

Result<void> send_error(FrameStream& stream, const Error& error)
{
    const Json json = {{"code", entry_of(error.code).id}, {"text", error.text}};
    return stream.send(header_of(FrameType::error, {}, 0),
                       json.dump(-1, ' ', true, Json::error_handler_t::replace));
}

} // namespace mscale::recovery
