#pragma once

#include <cstddef>
#include <span>

#include "base/error.hpp"

namespace mscale::library {

/// Buffers of one size, aligned to pages, each page touched where it was made.
class BufferPool {
public:
    static Result<BufferPool> make(std::size_t count, std::size_t bytes);
    BufferPool(BufferPool&& other) noexcept;
    BufferPool& operator=(BufferPool&&) = delete;
    ~BufferPool();

    std::span<std::byte> at(std::size_t index) const { return {memory_ + index * bytes_, bytes_}; }
    std::size_t count() const { return count_; }

private:
    BufferPool(std::byte* memory, std::size_t count, std::size_t bytes) : memory_(memory), count_(count), bytes_(bytes) {}

    std::byte* memory_ = nullptr;
    std::size_t count_ = 0, bytes_ = 0;
};

} // namespace mscale::library
