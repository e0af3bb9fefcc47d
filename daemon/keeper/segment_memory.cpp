#include "daemon/keeper/segment_memory.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fill_memory.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr int wanted_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Result<Fd> make_sealed(const std::string& name, std::uint64_t bytes, const SegmentMemory::Reserve& reserve)
{
    Fd descriptor(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!descriptor) return os_failure(Code::snapshot_room, "memfd_create " + name, errno);
    if (ftruncate(descriptor.number(), static_cast<off_t>(bytes)) != 0)
        return os_failure(Code::snapshot_room, format("{} of {}", name, format_bytes(bytes)), errno);
    auto reserved = reserve ? reserve(descriptor.number(), bytes) : fill_memory(descriptor.number(), 0, bytes);
    if (!reserved) return tl::unexpected(std::move(reserved.error()));
    if (fcntl(descriptor.number(), F_ADD_SEALS, wanted_seals) != 0)
        return os_failure(Code::snapshot_room, "sealing " + name, errno);
    return descriptor;
}

} // namespace

SegmentMemory::SegmentMemory(Fd descriptor, std::span<std::byte> memory,
                             const recovery::SegmentLayout& layout)
    : descriptor_(std::move(descriptor)), memory_(memory), layout_(layout)
{
}

SegmentMemory::SegmentMemory(SegmentMemory&& other) noexcept
    : descriptor_(std::move(other.descriptor_)), memory_(std::exchange(other.memory_, {})),
      layout_(other.layout_)
{
}

SegmentMemory& SegmentMemory::operator=(SegmentMemory&& other) noexcept
{
    std::swap(descriptor_, other.descriptor_);
    std::swap(memory_, other.memory_);
    std::swap(layout_, other.layout_);
    return *this;
}

SegmentMemory::~SegmentMemory()
{
    if (!memory_.empty()) munmap(memory_.data(), memory_.size());
}

Result<SegmentMemory> SegmentMemory::create(const std::string& name, const recovery::SegmentLayout& layout,
                                            const Reserve& reserve)
{
    auto descriptor = make_sealed(name, layout.total_bytes, reserve);
    if (!descriptor) return tl::unexpected(std::move(descriptor.error()));
    return map(std::move(*descriptor), layout);
}

Result<SegmentMemory> SegmentMemory::adopt(Fd descriptor, const recovery::SegmentLayout& layout)
{
    struct stat found = {};
    if (fstat(descriptor.number(), &found) != 0)
        return os_failure(Code::snapshot_damaged, "reading a kept segment", errno);
    if (static_cast<std::uint64_t>(found.st_size) != layout.total_bytes ||
        (fcntl(descriptor.number(), F_GET_SEALS) & wanted_seals) != wanted_seals)
        return failure(Code::snapshot_damaged,
                       format("a kept segment of {} bytes isn't one of {}, or isn't sealed", found.st_size,
                              layout.total_bytes));
    return map(std::move(descriptor), layout);
}

bool SegmentMemory::is_same(const SegmentMemory& other) const
{
    struct stat own = {}, others = {};
    return fstat(descriptor(), &own) == 0 && fstat(other.descriptor(), &others) == 0 && own.st_dev == others.st_dev &&
           own.st_ino == others.st_ino;
}

Result<SegmentMemory> SegmentMemory::map(Fd descriptor, const recovery::SegmentLayout& layout)
{
    void* memory =
        mmap(nullptr, layout.total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number(), 0);
    if (memory == MAP_FAILED)
        return os_failure(Code::snapshot_room,
                          format("mapping {} of snapshots", format_bytes(layout.total_bytes)), errno);
    return SegmentMemory(std::move(descriptor), {static_cast<std::byte*>(memory), layout.total_bytes},
                         layout);
}

} // namespace mscale::daemon
