#include "base/fill_memory.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>

#include "base/files.hpp"
#include "base/text.hpp"

namespace mscale {

namespace {

constexpr std::string_view settings = "/sys/kernel/mm/transparent_hugepage/";

/// What can't be had as huge pages is left to whoever fills the rest.
void ask_for_huge_pages(int descriptor, std::uint64_t at, std::uint64_t bytes)
{
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, static_cast<off_t>(at));
    if (memory == MAP_FAILED) return;
    if (madvise(memory, bytes, MADV_HUGEPAGE) == 0) (void)madvise(memory, bytes, MADV_POPULATE_WRITE);
    munmap(memory, bytes);
}

} // namespace

std::uint64_t granted_huge_page()
{
    const std::string directory(settings);
    const auto chosen = read_file(directory + "shmem_enabled");
    if (!chosen || chosen->find("[never]") != std::string::npos || chosen->find("[deny]") != std::string::npos) return 0;
    const auto size = read_file(directory + "hpage_pmd_size");
    return size ? parse_number(trim(*size)).value_or(0) : 0;
}

Result<void> fill_memory(int descriptor, std::uint64_t at, std::uint64_t bytes)
{
    const std::uint64_t page = granted_huge_page();
    if (page > 0 && bytes >= page) ask_for_huge_pages(descriptor, at, bytes - bytes % page);
    // posix_fallocate, not a sparse file: room that is missing is found here and not by a SIGBUS in the training.
    if (const int error = posix_fallocate(descriptor, static_cast<off_t>(at), static_cast<off_t>(bytes)); error != 0)
        return os_failure(Code::snapshot_room, format("reserving {}", format_bytes(bytes)), error);
    return {};
}

} // namespace mscale
