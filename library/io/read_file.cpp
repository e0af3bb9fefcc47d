#include "library/io/read_file.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"

namespace mscale::library {
namespace {

constexpr std::uint64_t least_alignment = 4096;

tl::unexpected<Error> refuse_kind(const std::string& path, mode_t mode)
{
    const char* const kind = S_ISDIR(mode) ? "a directory" : S_ISFIFO(mode) ? "a pipe" : "no file with a size";
    return failure(Code::reader_call, format("{} is {}", printable(path), kind), "give a regular file or a block device");
}

/// Not blocking, since a pipe would be waited for; that is taken back, as io_uring would not wait for a file either.
Result<Fd> open_plainly(const std::string& path)
{
    Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) return os_failure(Code::reader_failed, "open " + printable(path), errno, "name a file that this user may read");
    struct stat status{};
    if (::fstat(file.number(), &status) != 0) return os_failure(Code::reader_failed, "stat " + printable(path), errno);
    if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) return refuse_kind(path, status.st_mode);
    if (::fcntl(file.number(), F_SETFL, 0) != 0) return os_failure(Code::reader_failed, "fcntl " + printable(path), errno);
    return file;
}

/// What direct reads of the file must be aligned to; 0 where the file system says that it takes none.
std::uint64_t find_alignment(int file)
{
#ifdef STATX_DIOALIGN
    struct statx status{};
    if (::statx(file, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 && (status.stx_mask & STATX_DIOALIGN) != 0)
        return status.stx_dio_offset_align == 0 ? 0 : std::max<std::uint64_t>(least_alignment, status.stx_dio_offset_align);
#endif
    (void)file;
    return least_alignment;
}

void try_direct(ReadFile& file)
{
    const std::uint64_t alignment = find_alignment(file.file.number());
    if (alignment != 0 && ::fcntl(file.file.number(), F_SETFL, O_DIRECT) == 0)
        file.alignment = alignment;
    else
        file.buffered_since = "the file system takes no direct reads";
}

} // namespace

Result<ReadFile> open_for_reading(const std::string& path, bool direct)
{
    auto opened = open_plainly(path);
    if (!opened) return tl::unexpected(std::move(opened.error()));
    ReadFile file{path, std::move(*opened), 0, 1, {}};
    const off_t end = ::lseek(file.file.number(), 0, SEEK_END);
    if (end < 0) return os_failure(Code::reader_failed, "the size of " + printable(path), errno);
    file.size = static_cast<std::uint64_t>(end);
    if (direct)
        try_direct(file);
    else
        file.buffered_since = "as asked";
    return file;
}

Result<void> give_up_direct(ReadFile& file, std::string why)
{
    if (::fcntl(file.file.number(), F_SETFL, 0) != 0)
        return os_failure(Code::reader_failed, "fcntl " + printable(file.path), errno);
    file.alignment = 1;
    file.buffered_since = std::move(why);
    return {};
}

std::uint64_t size_now(const ReadFile& file)
{
    const off_t end = ::lseek(file.file.number(), 0, SEEK_END);
    return end < 0 ? 0 : static_cast<std::uint64_t>(end);
}

} // namespace mscale::library
