#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mscale::recovery {

/// The part of a snapshot that has a checksum of its own, in bytes.
inline constexpr std::size_t chunk_bytes = 4 << 20;

/// CRC32C (Castagnoli, RFC 3720 appendix B.4) of `bytes`.
std::uint32_t crc32c(std::span<const std::byte> bytes);
/// Goes on from the checksum of what came before.
std::uint32_t crc32c(std::uint32_t before, std::span<const std::byte> bytes);

/// The checksum of each chunk; the last chunk may be shorter.
std::vector<std::uint32_t> crc32c_chunks(std::span<const std::byte> bytes);
/// The first chunk whose checksum isn't the one given, or `wanted.size()` when all are right.  `wanted` has
/// one for each chunk of `bytes`.
std::size_t find_damaged_chunk(std::span<const std::byte> bytes, std::span<const std::uint32_t> wanted);

} // namespace mscale::recovery
