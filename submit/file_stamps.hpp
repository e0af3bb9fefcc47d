#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace mscale::submit {

/// What tells two versions of a file apart without reading it.
struct FileStamp {
    std::string path;
    std::int64_t modified_ns = 0; ///< -1: no such file
    std::uint64_t bytes = 0, inode = 0;
    auto operator<=>(const FileStamp&) const = default;
};

FileStamp stamp_file(const std::string& path);
/// The stamps of the regular files of a directory, by name; empty when it can't be read.
std::vector<FileStamp> stamp_directory(const std::string& directory);

} // namespace mscale::submit
