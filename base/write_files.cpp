// The half of files.hpp that changes a file system.
#include "base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/handle.hpp"
#include "base/text.hpp"

namespace mscale {
namespace {

Result<void> write_whole(int fd, const std::string& path, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return os_failure(Code::node_act, "write " + path, errno);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

/// One write(2): what takes only a part of it is an error.
Result<void> write_once(int fd, const std::string& path, std::string_view text)
{
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0)
        return os_failure(Code::node_act, format("write '{}' to {}", printable(trim(text)), path), errno);
    if (static_cast<std::size_t>(written) == text.size()) return {};
    return failure(Code::node_act, format("{} took {} of {} bytes", path, written, text.size()));
}

std::string directory_of(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> fill_and_rename(int fd, const std::string& temporary, const std::string& path,
                             std::string_view text, mode_t mode)
{
    if (auto written = write_whole(fd, temporary, text); !written) return written;
    if (::fchmod(fd, mode) != 0) return os_failure(Code::node_act, "chmod " + temporary, errno);
    if (::fsync(fd) != 0) return os_failure(Code::node_act, "fsync " + temporary, errno);
    if (::rename(temporary.c_str(), path.c_str()) != 0)
        return os_failure(Code::node_act, "rename to " + path, errno);
    const Fd directory(::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory || ::fsync(directory.number()) != 0)
        return os_failure(Code::node_act, "fsync " + directory_of(path), errno);
    return {};
}

constexpr mode_t parent_mode = 0755;

Result<void> make_directory(const std::string& path, mode_t mode)
{
    if (::mkdir(path.c_str(), mode) == 0) {
        if (::chmod(path.c_str(), mode) == 0) return {}; // whatever the caller's umask is
        return os_failure(Code::node_act, "chmod " + path, errno);
    }
    if (errno != EEXIST) return os_failure(Code::node_act, "mkdir " + path, errno);
    struct stat found = {};
    if (::stat(path.c_str(), &found) != 0) return os_failure(Code::node_act, "stat " + path, errno);
    if (!S_ISDIR(found.st_mode)) return os_failure(Code::node_act, "mkdir " + path, ENOTDIR);
    return {};
}

} // namespace

Result<void> replace_file(const std::string& path, std::string_view text, mode_t mode)
{
    std::string temporary = path + ".XXXXXX";
    const Fd fd(::mkostemp(temporary.data(), O_CLOEXEC));
    if (!fd) return os_failure(Code::node_act, "create " + temporary, errno);
    auto done = fill_and_rename(fd.number(), temporary, path, text, mode);
    if (!done) ::unlink(temporary.c_str());
    return done;
}

Result<void> write_control(const std::string& path, std::string_view text)
{
    const Fd fd(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (!fd) return os_failure(Code::node_act, "open " + path, errno);
    return write_once(fd.number(), path, text);
}

Result<void> append_line(const std::string& path, std::string_view line, mode_t mode)
{
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!fd) return os_failure(Code::node_act, "open " + path, errno);
    return write_once(fd.number(), path, format("{}\n", line));
}

Result<void> make_directories(const std::string& path, mode_t mode)
{
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const std::string part = path.substr(0, slash);
        const bool is_last = slash == std::string::npos || slash + 1 == path.size();
        if (const auto made = make_directory(part, is_last ? mode : parent_mode); !made) return made;
        if (is_last) return {};
    }
}

} // namespace mscale
