#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "recovery/session_key.hpp"
#include "recovery/slot.hpp"

namespace mscale::recovery {

/// What a frame between two keepers does; the numbers are part of the format.
enum class FrameType : std::uint8_t {
    hello = 1, ///< the first of a stream: the credential that holds the session key
    put,       ///< a part of a snapshot's data, at `offset`
    seal,      ///< its manifest: the data are all there
    ack,       ///< what was put is held and its checksums are right
    prepare,
    commit,
    list,
    fetch, ///< asks for data from `offset` on
    data,  ///< the answer to list and fetch
    drop,
    error, ///< the answer to anything: an Error as JSON
    verbs, ///< asks for a way of the data by RDMA, and the answer to that (recovery/verbs)
};

inline constexpr std::size_t frame_header_bytes = 80;
inline constexpr std::uint16_t frame_major = 1; ///< both sides have the same

/// What stands before a payload.  On the wire, little-endian: magic u32, major u16, type u8, flags u8, job,
/// uid, rank, ranks, restarts and step id u32 each, epoch u64, sequence u64, offset u64, length u32, checksum
/// u32, MAC of all before.
struct FrameHeader {
    FrameType type = FrameType::hello;
    std::uint8_t flags = 0; ///< the meaning is the type's
    Owner owner;
    std::uint64_t epoch = 0;
    std::uint64_t sequence =
        0; ///< counts the frames of one direction of a stream: none comes twice or is left out
    std::uint64_t offset = 0;
    std::uint32_t length = 0; ///< of the payload
    std::uint32_t checksum =
        0; ///< CRC32C of the payload: against damage; a network that is hostile is the site's
    bool operator==(const FrameHeader&) const = default;
};

/// The longest payload of a frame of this type.
std::size_t payload_limit(FrameType type);

/// The bytes to send before `payload`.  Sets length and checksum; the payload is within payload_limit.
std::string encode_frame(FrameHeader header, std::span<const std::byte> payload, const SessionKey& key);
/// As encode_frame for a header whose length and checksum are set: those of a whole chunk stand in the
/// manifest, and nobody sums its bytes once more.
std::string sign_frame(const FrameHeader& header, const SessionKey& key);

/// Reads a header (of frame_header_bytes) that anybody may have sent.  bad_frame when it isn't signed by this
/// key, isn't the `sequence`th of its direction, or is longer than its type may be: the stream then ends.
Result<FrameHeader> decode_frame(std::string_view bytes, const SessionKey& key, std::uint64_t sequence);

/// The header of a hello, whose payload holds the key: the MAC is not checked; decode_frame does it
/// afterwards.
Result<FrameHeader> peek_hello(std::string_view bytes);

/// bad_frame when the payload isn't what was sent.
Result<void> check_payload(const FrameHeader& header, std::span<const std::byte> payload);

} // namespace mscale::recovery
