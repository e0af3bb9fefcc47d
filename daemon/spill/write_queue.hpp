#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace mscale::daemon {

/// Memory as direct writing wants it.
class PageBuffer {
public:
    static constexpr std::size_t bytes = 4 << 20;

    PageBuffer() : memory_(std::aligned_alloc(4096, bytes)) {}
    std::span<std::byte> span() const { return {static_cast<std::byte*>(memory_.pointer()), memory_ ? bytes : 0}; }

private:
    Handle<void*, std::free> memory_;
};

/// Writes to one file that may still be under way when a call returns.
class WriteQueue {
public:
    virtual ~WriteQueue() = default;
    /// PageBuffer::bytes of memory, to be filled and written by the next call of `write`; waits while all are being written.
    virtual Result<std::span<std::byte>> next_buffer() = 0;
    /// Begins to write the first `size` bytes of it, whole pages, at `at`.
    virtual Result<void> write(std::size_t size, std::uint64_t at) = 0;
    /// Until all that was begun has been written; the first error.
    virtual Result<void> wait() = 0;
};

/// By io_uring where this build and the kernel have it, else by pwrite.  `file` stays the caller's.
std::unique_ptr<WriteQueue> make_write_queue(int file);

/// Nothing where io_uring can't be used.
std::unique_ptr<WriteQueue> make_ring_queue(int file);

/// All of the bytes, or what the system says.
Result<void> write_all(int file, std::span<const std::byte> bytes, std::uint64_t at);

} // namespace mscale::daemon
