#include "library/copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "recovery/checksum.hpp"

namespace mscale::library {
namespace {

// Measured by bench/put: the checksum reads several streams of a block at once, for which 4 KiB are too short to be fetched
// ahead (three times memcpy's time on an EPYC), and what it brings into the cache must still be there for the copy.
constexpr std::size_t block_bytes = 256 << 10;
constexpr std::array<std::byte, 64> zeros{};

#ifdef __SSE2__
// Past the cache: an ordinary store reads its target first, which costs a third of the time.
void stream_lines(std::byte* to, const std::byte* from, std::size_t lines)
{
    auto* target = reinterpret_cast<__m128i*>(to);
    const auto* source = reinterpret_cast<const __m128i*>(from);
    for (std::size_t i = 0; i < 4 * lines; i += 4) {
        const __m128i a = _mm_loadu_si128(source + i), b = _mm_loadu_si128(source + i + 1);
        const __m128i c = _mm_loadu_si128(source + i + 2), d = _mm_loadu_si128(source + i + 3);
        _mm_stream_si128(target + i, a);
        _mm_stream_si128(target + i + 1, b);
        _mm_stream_si128(target + i + 2, c);
        _mm_stream_si128(target + i + 3, d);
    }
}

void copy_block(std::byte* to, std::span<const std::byte> from)
{
    constexpr std::size_t line_bytes = 4 * sizeof(__m128i);
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128i) == 0;
    const std::size_t streamed = is_aligned ? from.size() / line_bytes * line_bytes : 0;
    stream_lines(to, from.data(), streamed / line_bytes);
    std::memcpy(to + streamed, from.data() + streamed, from.size() - streamed);
}

/// Streamed stores come in any order: the seal must not overtake them.
void finish_copy()
{
    _mm_sfence();
}
#else
void copy_block(std::byte* to, std::span<const std::byte> from)
{
    std::memcpy(to, from.data(), from.size());
}

void finish_copy() {}
#endif

} // namespace

void SummingCopy::append(std::span<const std::byte> data)
{
    while (!data.empty()) {
        const std::size_t left_of_chunk = recovery::chunk_bytes - at_ % recovery::chunk_bytes;
        const auto block = data.first(std::min({data.size(), left_of_chunk, block_bytes}));
        append_block(block);
        data = data.subspan(block.size());
    }
    finish_copy();
}

// The checksum first: it brings the block into the cache faster than the copy would.
void SummingCopy::append_block(std::span<const std::byte> block)
{
    sum_ = recovery::crc32c(sum_, block);
    copy_block(target_.data() + at_, block);
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
