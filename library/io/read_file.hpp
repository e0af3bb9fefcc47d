#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace mscale::library {

/// A file as a reader has it.
struct ReadFile {
    std::string path;
    Fd file;
    std::uint64_t size = 0;      ///< when it was opened
    std::uint64_t alignment = 1; ///< of offset, length and memory of a direct read, at least a page; 1: not direct
    std::string buffered_since;  ///< why it isn't read directly; "" when it is
    bool is_direct() const { return alignment > 1; }
};

/// Opens a regular file or a block device, for direct reads where the file system takes them and they are wanted.
Result<ReadFile> open_for_reading(const std::string& path, bool direct);

/// From now on through the page cache.
Result<void> give_up_direct(ReadFile& file, std::string why);

/// The bytes that the file has now.
std::uint64_t size_now(const ReadFile& file);

} // namespace mscale::library
