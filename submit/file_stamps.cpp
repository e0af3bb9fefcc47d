#include "submit/file_stamps.hpp"

#include <sys/stat.h>

#include "base/files.hpp"

namespace mscale::submit {

FileStamp stamp_file(const std::string& path)
{
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) return {path, -1, 0, 0};
    return {path, status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec,
            static_cast<std::uint64_t>(status.st_size), status.st_ino};
}

std::vector<FileStamp> stamp_directory(const std::string& directory)
{
    std::vector<FileStamp> stamps;
    if (const auto names = Root().list(directory))
        for (const std::string& name : *names) stamps.push_back(stamp_file(directory + "/" + name));
    return stamps;
}

} // namespace mscale::submit
