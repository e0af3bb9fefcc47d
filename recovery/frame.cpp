#include "recovery/frame.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "recovery/bytes.hpp"
#include "recovery/checksum.hpp"
#include "recovery/manifest.hpp"

namespace mscale::recovery {
namespace {

constexpr std::uint32_t frame_magic = 0x3146534d; // "MSF1"
constexpr std::size_t signed_bytes = frame_header_bytes - sizeof(SessionKey::Mac);
constexpr std::size_t hello_limit = 16 << 10;

tl::unexpected<Error> bad(std::string what)
{
    return failure(Code::bad_frame, "frame: " + std::move(what));
}

std::span<const std::uint8_t> signed_part(std::string_view bytes)
{
    return {reinterpret_cast<const std::uint8_t*>(bytes.data()), signed_bytes};
}

SessionKey::Mac mac_of(std::string_view bytes)
{
    SessionKey::Mac mac;
    std::ranges::copy(bytes.substr(signed_bytes), mac.begin());
    return mac;
}

std::string write_header(const FrameHeader& header)
{
    ByteWriter writer;
    writer.put(frame_magic);
    writer.put(frame_major);
    writer.put(static_cast<std::uint8_t>(header.type));
    writer.put(header.flags);
    for (const std::uint32_t number :
         {header.owner.job_id, header.owner.uid, header.owner.rank, header.owner.ranks,
          header.owner.incarnation.restarts, header.owner.incarnation.step})
        writer.put(number);
    writer.put(header.epoch);
    writer.put(header.sequence);
    writer.put(header.offset);
    writer.put(header.length);
    writer.put(header.checksum);
    return writer.bytes();
}

FrameHeader read_fields(ByteReader& reader)
{
    FrameHeader header;
    header.type = static_cast<FrameType>(reader.get<std::uint8_t>());
    header.flags = reader.get<std::uint8_t>();
    for (std::uint32_t* number :
         {&header.owner.job_id, &header.owner.uid, &header.owner.rank, &header.owner.ranks,
          &header.owner.incarnation.restarts, &header.owner.incarnation.step})
        *number = reader.get<std::uint32_t>();
    header.epoch = reader.get<std::uint64_t>();
    header.sequence = reader.get<std::uint64_t>();
    header.offset = reader.get<std::uint64_t>();
    header.length = reader.get<std::uint32_t>();
    header.checksum = reader.get<std::uint32_t>();
    return header;
}

/// All that can be said without the key.
Result<FrameHeader> read_header(std::string_view bytes)
{
    if (bytes.size() != frame_header_bytes) return bad(format("a header of {} bytes", bytes.size()));
    ByteReader reader(bytes);
    if (reader.get<std::uint32_t>() != frame_magic) return bad("it doesn't begin as one");
    const auto major = reader.get<std::uint16_t>();
    if (major != frame_major)
        return bad(format("the other keeper speaks format {}, this one {}", major, frame_major));
    const FrameHeader header = read_fields(reader);
    if (header.type < FrameType::hello || header.type > FrameType::verbs)
        return bad(format("unknown type {}", static_cast<unsigned>(header.type)));
    if (header.length > payload_limit(header.type))
        return bad(
            format("{} bytes are too long for type {}", header.length, static_cast<unsigned>(header.type)));
    return header;
}

} // namespace

std::size_t payload_limit(FrameType type)
{
    switch (type) {
    case FrameType::hello: return hello_limit;
    case FrameType::seal: return most_manifest_bytes;
    default: return chunk_bytes;
    }
}

std::string encode_frame(FrameHeader header, std::span<const std::byte> payload, const SessionKey& key)
{
    header.length = static_cast<std::uint32_t>(payload.size());
    header.checksum = crc32c(payload);
    return sign_frame(header, key);
}

std::string sign_frame(const FrameHeader& header, const SessionKey& key)
{
    std::string bytes = write_header(header);
    const SessionKey::Mac mac = key.sign(signed_part(bytes));
    bytes.append(reinterpret_cast<const char*>(mac.data()), mac.size());
    return bytes;
}

Result<FrameHeader> decode_frame(std::string_view bytes, const SessionKey& key, std::uint64_t sequence)
{
    auto header = read_header(bytes);
    if (!header) return header;
    if (!key.verify(signed_part(bytes), mac_of(bytes))) return bad("it isn't signed by the other keeper");
    if (header->sequence != sequence)
        return bad(format("number {} came where {} was due", header->sequence, sequence));
    return header;
}

Result<FrameHeader> peek_hello(std::string_view bytes)
{
    auto header = read_header(bytes);
    if (header && (header->type != FrameType::hello || header->sequence != 0))
        return bad("a stream begins without a hello");
    return header;
}

Result<void> check_payload(const FrameHeader& header, std::span<const std::byte> payload)
{
    if (payload.size() == header.length && crc32c(payload) == header.checksum) return {};
    return bad(format("the {} bytes for epoch {} of job {} rank {} from {} on aren't those that were sent",
                      header.length, header.epoch, header.owner.job_id, header.owner.rank, header.offset));
}

} // namespace mscale::recovery
