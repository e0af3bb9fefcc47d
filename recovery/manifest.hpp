#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "recovery/extent.hpp"

namespace mscale::recovery {

inline constexpr std::uint16_t format_major = 1; ///< a reader refuses a greater one
inline constexpr std::uint16_t format_minor = 0; ///< a reader skips what a greater one adds at the end
inline constexpr std::size_t most_extents = 65536;
inline constexpr std::size_t longest_name = 512;
inline constexpr std::size_t most_axes = 8;
inline constexpr std::size_t most_manifest_bytes = 64 << 20;

/// The table of contents of one rank's snapshot.
struct Manifest {
    std::uint64_t data_bytes = 0; ///< of the slot's data that the extents use
    std::vector<Extent> extents;  ///< in the order in which they were saved; no two overlap, no name twice
    std::vector<std::uint32_t> chunks; ///< CRC32C of each chunk of the data
    bool operator==(const Manifest&) const = default;
};

/// The manifest as bytes, with its own checksum at the end.  The manifest is one that `check_manifest`
/// accepts.
std::string encode_manifest(const Manifest& manifest);

/// Reads a manifest from bytes that nobody vouches for.  snapshot_version when its major is too new,
/// snapshot_damaged for everything else; never reads past the bytes, and never allocates more than a fixed
/// multiple of them.
Result<Manifest> decode_manifest(std::string_view bytes);

/// Counts, bounds, names, overlaps, shapes and the number of chunks; what is wrong is said with the extent's
/// name. Any values may come: what a program registered is checked here too.
Result<void> check_manifest(const Manifest& manifest);

} // namespace mscale::recovery
