#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mscale::library {

/// Copies a snapshot's data and takes the checksum of each chunk on the way: the bytes are read once from memory, in
/// blocks that stay in the processor's first cache between checksum and copy.
class SummingCopy {
public:
    /// What is written begins at `target`, which outlives the copy.
    explicit SummingCopy(std::span<std::byte> target = {}) : target_(target) {}

    std::size_t room() const { return target_.size() - at_; }
    std::size_t position() const { return at_; }
    /// At most room() bytes.
    void append(std::span<const std::byte> data);
    /// Zeros up to the next multiple of `alignment`; false when there is no room for them.
    bool align(std::size_t alignment);
    /// The checksum of each chunk, the last one that isn't full included.
    std::vector<std::uint32_t> checksums() const;

private:
    void append_block(std::span<const std::byte> block);

    std::span<std::byte> target_;
    std::size_t at_ = 0;
    std::uint32_t sum_ = 0; // of the chunk that isn't full yet
    std::vector<std::uint32_t> sums_;
};

} // namespace mscale::library
