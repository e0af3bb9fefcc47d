#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/error.hpp"

namespace mscale {

/// Where a machine's files lie: "/" for this system, else the directory of a copied tree.
/// Paths given to it are absolute as the kernel spells them ("/sys/block"); symbolic links of a copied tree that are
/// absolute are resolved below the root, never outside it.
class Root {
public:
    Root() = default;
    explicit Root(std::string directory);

    const std::string& directory() const { return directory_; }
    bool is_this_system() const { return directory_ == "/"; }

    /// The whole file, at most `limit` bytes; a larger one is an error, never cut.
    Result<std::string> read(std::string_view path, std::size_t limit = 1 << 20) const;
    /// As `read`, without trailing white space; what sysfs gives.
    Result<std::string> read_line(std::string_view path) const;
    /// A decimal or 0x number in a file of its own.
    Result<std::int64_t> read_number(std::string_view path) const;
    /// Names in a directory, sorted by their natural order (nvme2 before nvme10), without "." and "..".
    Result<std::vector<std::string>> list(std::string_view path) const;
    bool exists(std::string_view path) const;
    /// Where a link leads: an absolute path as seen below the root, with every link on its way resolved.
    Result<std::string> resolve(std::string_view path) const;
    /// The real path on this system of a path below the root, links resolved below the root.
    std::string locate(std::string_view path) const;

private:
    std::string directory_ = "/";
};

/// The whole file at `path` of this system, at most `limit` bytes.  Follows links: only for paths no user controls.
Result<std::string> read_file(const std::string& path, std::size_t limit = 1 << 20);

/// As `read_file`, and waits for what a pipe, a socket or a terminal still sends: only for a path that the caller named.
Result<std::string> read_stream(const std::string& path, std::size_t limit);

/// Writes `text` to `path` by a temporary file in the same directory, fsync and rename: the old file or the whole new one.
Result<void> replace_file(const std::string& path, std::string_view text, mode_t mode);

/// Writes `text` in one write(2) to an existing file; what sysfs, procfs and cgroupfs want.
Result<void> write_control(const std::string& path, std::string_view text);

/// Appends `line` in one write(2), creating the file with `mode`; whole lines even with several writers.
Result<void> append_line(const std::string& path, std::string_view line, mode_t mode);

/// Makes the directory with `mode` and its missing parents with 0755, whatever the umask; one that exists is left as it is.
Result<void> make_directories(const std::string& path, mode_t mode);

} // namespace mscale
