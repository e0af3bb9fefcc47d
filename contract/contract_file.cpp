#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/handle.hpp"
#include "base/text.hpp"
#include "contract/parse.hpp"

namespace mscale::contract {
namespace {

Result<Fd> open_regular(const std::string& path)
{
    // O_NONBLOCK: opening a FIFO must not wait for its writer.
    Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) return os_failure(Code::contract_file, "open " + path, errno);
    struct stat status {};
    if (::fstat(file.number(), &status) != 0) return os_failure(Code::contract_file, "stat " + path, errno);
    if (!S_ISREG(status.st_mode)) return failure(Code::contract_file, path + " is no regular file");
    return file;
}

} // namespace

Result<std::string> read_contract_file(std::string_view at_file)
{
    if (!at_file.starts_with('@') || at_file.size() == 1 || at_file.find('\0') != std::string_view::npos)
        return failure(Code::contract_file, format("'{}' names no file", printable(at_file)), "write @FILE");
    const std::string path(at_file.substr(1));
    const auto file = open_regular(path);
    if (!file) return tl::unexpected(file.error());
    std::string text(contract_limit + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t got = ::read(file->number(), text.data() + size, text.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return os_failure(Code::contract_file, "read " + path, errno);
        if (got == 0) break;
        size += static_cast<std::size_t>(got);
    }
    if (size > contract_limit)
        return failure(Code::too_large, format("{} is larger than {} bytes", path, contract_limit));
    text.resize(size);
    return text;
}

} // namespace mscale::contract
