#include "recovery/checksum.hpp"

#include <algorithm>

#include <isa-l/crc.h>

namespace mscale::recovery {
namespace {

constexpr std::size_t piece_bytes = 1 << 30; // ISA-L takes an int

std::span<const std::byte> chunk_at(std::span<const std::byte> bytes, std::size_t chunk)
{
    const auto rest = bytes.subspan(std::min(bytes.size(), chunk * chunk_bytes));
    return rest.first(std::min(rest.size(), chunk_bytes));
}

} // namespace

std::uint32_t crc32c(std::uint32_t before, std::span<const std::byte> bytes)
{
    std::uint32_t state = ~before;
    while (!bytes.empty()) {
        const auto piece = bytes.first(std::min(bytes.size(), piece_bytes));
        // ISA-L declares what it only reads without const.
        auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(piece.data()));
        state = crc32_iscsi(data, static_cast<int>(piece.size()), state);
        bytes = bytes.subspan(piece.size());
    }
    return ~state;
}

std::uint32_t crc32c(std::span<const std::byte> bytes)
{
    return crc32c(0, bytes);
}

std::vector<std::uint32_t> crc32c_chunks(std::span<const std::byte> bytes)
{
    std::vector<std::uint32_t> sums((bytes.size() + chunk_bytes - 1) / chunk_bytes);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = crc32c(chunk_at(bytes, i));
    return sums;
}

std::size_t find_damaged_chunk(std::span<const std::byte> bytes, std::span<const std::uint32_t> wanted)
{
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (crc32c(chunk_at(bytes, i)) != wanted[i]) return i;
    return wanted.size();
}

} // namespace mscale::recovery
