#include "library/io/buffer_pool.hpp"

#include <cerrno>
#include <utility>

#include <sys/mman.h>

#include "base/text.hpp"

namespace mscale::library {
namespace {

constexpr std::size_t page_bytes = 4096;

} // namespace

Result<BufferPool> BufferPool::make(std::size_t count, std::size_t bytes)
{
    void* const memory = ::mmap(nullptr, count * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return os_failure(Code::reader_failed, format("{} buffers of {}", count, format_bytes(bytes)), errno,
                          "open the reader with a smaller depth or block");
    BufferPool pool(static_cast<std::byte*>(memory), count, bytes);
    ::madvise(memory, count * bytes, MADV_HUGEPAGE); // a direct read then takes one segment and not one a page
    for (std::size_t at = 0; at < count * bytes; at += page_bytes) pool.memory_[at] = std::byte{};
    return pool;
}

BufferPool::BufferPool(BufferPool&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), count_(other.count_), bytes_(other.bytes_)
{
}

BufferPool::~BufferPool()
{
    if (memory_ != nullptr) ::munmap(memory_, count_ * bytes_);
}

} // namespace mscale::library
