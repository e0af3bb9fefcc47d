#include "library/copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "recovery/checksum.hpp"

namespace mscale::library {
namespace {

constexpr std::size_t block_bytes = 4096; // measured: bench/put
constexpr std::array<std::byte, 64> zeros{};

} // namespace

void SummingCopy::append(std::span<const std::byte> data)
{
    while (!data.empty()) {
        const std::size_t left_of_chunk = recovery::chunk_bytes - at_ % recovery::chunk_bytes;
        const auto block = data.first(std::min({data.size(), left_of_chunk, block_bytes}));
        append_block(block);
        data = data.subspan(block.size());
    }
}

// The checksum first: it brings the block into the cache faster than the copy would.
void SummingCopy::append_block(std::span<const std::byte> block)
{
    sum_ = recovery::crc32c(sum_, block);
    std::memcpy(target_.data() + at_, block.data(), block.size());
    at_ += block.size();
    if (at_ % recovery::chunk_bytes != 0) return;
    sums_.push_back(sum_);
    sum_ = 0;
}

bool SummingCopy::align(std::size_t alignment)
{
    const std::size_t gap = (alignment - at_ % alignment) % alignment;
    if (gap > room()) return false;
    append(std::span(zeros).first(gap));
    return true;
}

std::vector<std::uint32_t> SummingCopy::checksums() const
{
    std::vector<std::uint32_t> sums = sums_;
    if (at_ % recovery::chunk_bytes != 0) sums.push_back(sum_);
    return sums;
}

} // namespace mscale::library
