#include "slicing/file_lock.hpp"

#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/text.hpp"

namespace mscale::slicing {
namespace {

constexpr std::chrono::milliseconds between_tries{5};

/// The name still leads to the file that was locked: its last owner may have removed it.
bool is_current(const Fd& fd, const std::string& path)
{
    struct stat locked = {}, named = {};
    return ::fstat(fd.number(), &locked) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

} // namespace

Result<Fd> lock_file(const std::string& path, Clock::time_point until)
{
    for (;;) {
        Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!fd) return os_failure(Code::ledger, "open " + path, errno);
        while (::flock(fd.number(), LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK && errno != EINTR)
                return os_failure(Code::ledger, "lock " + path, errno);
            if (Clock::now() >= until)
                return failure(Code::deadline, format("{} is still locked by another mscale process", path));
            std::this_thread::sleep_for(between_tries);
        }
        if (is_current(fd, path)) return fd;
    }
}

} // namespace mscale::slicing
