#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/check.hpp"

/// A file of this test, on a disk and not in memory, whose every byte tells its place.
class ScratchFile {
public:
    explicit ScratchFile(std::size_t bytes)
    {
        ck_assert(::mkdtemp(directory_) != nullptr);
        std::filesystem::permissions(directory_, std::filesystem::perms(0755));
        write(path(), bytes);
    }
    ~ScratchFile() { std::filesystem::remove_all(directory_); }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    std::string directory() const { return directory_; }
    std::string path() const { return directory() + "/file"; }

    /// The byte that such a file has at `at`; differs from place to place, also a block further.
    static char byte_at(std::size_t at) { return static_cast<char>(at * 31 + at / 4096 * 7 + at / 1048576); }
    static void write(const std::string& path, std::size_t bytes)
    {
        std::string text(bytes, '\0');
        for (std::size_t i = 0; i < bytes; ++i) text[i] = byte_at(i);
        std::ofstream(path, std::ios::binary) << text;
    }

private:
    char directory_[32] = "/var/tmp/mscale-io-XXXXXX";
};
