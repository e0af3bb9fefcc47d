#include "library/memory.hpp"

#include <cerrno>

#include <sys/mman.h>
#include <sys/stat.h>

#include "base/text.hpp"

namespace mscale::library {

Result<Memory> Memory::map(Fd&& descriptor, const recovery::SegmentLayout& layout)
{
    const Fd file = std::move(descriptor);
    struct stat status {};
    if (::fstat(file.number(), &status) != 0)
        return os_failure(Code::keeper_lost, "the keeper's memory", errno);
    if (static_cast<std::uint64_t>(status.st_size) < layout.total_bytes)
        return failure(Code::keeper_lost, format("the keeper's memory has {} bytes instead of {}",
                                                 status.st_size, layout.total_bytes));
    // Populated, so that the first save doesn't wait for page faults.
    void* const start = ::mmap(nullptr, layout.total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                               file.number(), 0);
    if (start == MAP_FAILED) return os_failure(Code::keeper_lost, "mapping the keeper's memory", errno);
    (void)::madvise(start, layout.total_bytes, MADV_DONTFORK);
    Memory memory;
    memory.identity_ = {status.st_dev, status.st_ino};
    memory.bytes_ = {static_cast<std::byte*>(start), layout.total_bytes};
    memory.layout_ = layout;
    return memory;
}

bool Memory::is_same(const Fd& descriptor) const
{
    struct stat other {};
    return !bytes_.empty() && ::fstat(descriptor.number(), &other) == 0 && identity_.device == other.st_dev &&
           identity_.inode == other.st_ino;
}

Memory& Memory::operator=(Memory&& other) noexcept
{
    std::swap(identity_, other.identity_);
    std::swap(bytes_, other.bytes_);
    std::swap(layout_, other.layout_);
    return *this;
}

Memory::~Memory()
{
    if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

} // namespace mscale::library
