#include "base/files.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/handle.hpp"
#include "base/text.hpp"

namespace mscale {
namespace {

constexpr int max_links = 40; ///< as the kernel's own MAXSYMLINKS

/// Reads until the end or until more than `limit` bytes came: sysfs and procfs don't tell their size.
Result<std::string> read_whole(int fd, const std::string& path, std::size_t limit)
{
    std::string text;
    for (;;) {
        const std::size_t filled = text.size();
        text.resize(filled + std::min<std::size_t>(64 << 10, limit + 1 - filled));
        const ssize_t got = ::read(fd, text.data() + filled, text.size() - filled);
        text.resize(filled + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return os_failure(Code::node_act, "read " + path, errno);
        if (text.size() > limit)
            return failure(Code::node_act, format("{} is larger than {} bytes", path, limit));
        if (got == 0) return text;
    }
}

Result<std::string> read_opened(const std::string& path, std::size_t limit, int flags)
{
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | flags));
    if (!fd) return os_failure(Code::node_act, "open " + path, errno);
    return read_whole(fd.number(), path, limit);
}

/// Names of components still to walk, the nearest first.
std::deque<std::string> components(std::string_view path)
{
    std::deque<std::string> parts;
    for (const std::string_view part : split(path, '/'))
        if (!part.empty() && part != ".") parts.emplace_back(part);
    return parts;
}

std::string parent_of(const std::string& path)
{
    return path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
}

bool natural_less(std::string_view a, std::string_view b)
{
    const auto digits = [](std::string_view text) {
        return text.substr(0, text.find_first_not_of("0123456789"));
    };
    while (!a.empty() && !b.empty()) {
        const std::string_view da = digits(a), db = digits(b);
        const auto na = parse_number(da), nb = parse_number(db);
        if (na && nb && *na != *nb) return *na < *nb;
        const bool same_number = na && nb && da == db;
        const std::size_t step = same_number ? da.size() : 1;
        if (!same_number && a.front() != b.front()) return a.front() < b.front();
        a.remove_prefix(step);
        b.remove_prefix(step);
    }
    return a.size() < b.size();
}

} // namespace

Root::Root(std::string directory) : directory_(std::move(directory))
{
    while (directory_.size() > 1 && directory_.ends_with('/')) directory_.pop_back();
    if (directory_.empty()) directory_ = "/";
}

Result<std::string> Root::resolve(std::string_view path) const
{
    const std::string prefix = is_this_system() ? "" : directory_;
    std::deque<std::string> ahead = components(path);
    std::string walked;
    for (int links = 0; !ahead.empty();) {
        const std::string name = std::move(ahead.front());
        ahead.pop_front();
        if (name == "..") {
            walked = parent_of(walked);
            continue;
        }
        const std::string next = walked + "/" + name;
        std::error_code fault;
        const auto target = std::filesystem::read_symlink(prefix + next, fault);
        if (fault) {
            walked = next; // no link, or nothing there: the last open tells
            continue;
        }
        if (++links > max_links) return os_failure(Code::node_act, "resolve " + std::string(path), ELOOP);
        if (target.is_absolute()) walked.clear();
        std::deque<std::string> inner = components(target.native());
        ahead.insert(ahead.begin(), inner.begin(), inner.end());
    }
    if (walked.empty()) walked = "/";
    if (::access((prefix + walked).c_str(), F_OK) != 0)
        return os_failure(Code::node_act, "resolve " + std::string(path), errno);
    return walked;
}

std::string Root::locate(std::string_view path) const
{
    if (is_this_system()) return std::string(path);
    const auto resolved = resolve(path);
    return directory_ + (resolved ? *resolved : std::string(path));
}

Result<std::string> Root::read(std::string_view path, std::size_t limit) const
{
    if (is_this_system()) return read_file(std::string(path), limit);
    const auto resolved = resolve(path);
    if (!resolved) return tl::unexpected(resolved.error());
    return read_file(directory_ + *resolved, limit);
}

Result<std::string> Root::read_line(std::string_view path) const
{
    return read(path).map([](const std::string& text) {
        const std::size_t end = text.find_last_not_of(" \t\r\n");
        return end == std::string::npos ? std::string() : text.substr(0, end + 1);
    });
}

Result<std::int64_t> Root::read_number(std::string_view path) const
{
    const auto text = read_line(path);
    if (!text) return tl::unexpected(text.error());
    errno = 0;
    char* end = nullptr;
    const bool is_hex = text->starts_with("0x") || text->starts_with("0X");
    const std::int64_t number = std::strtoll(text->c_str(), &end, is_hex ? 16 : 10);
    if (errno == 0 && !text->empty() && *end == '\0') return number;
    return failure(Code::node_act,
                   format("{} holds '{}' where a number is expected", path, printable(*text)));
}

Result<std::vector<std::string>> Root::list(std::string_view path) const
{
    std::error_code fault;
    std::vector<std::string> names;
    auto entry = std::filesystem::directory_iterator(locate(path), fault);
    for (; !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault))
        names.push_back(entry->path().filename().native());
    if (fault) return os_failure(Code::node_act, format("list {}", path), fault.value());
    std::ranges::sort(names, natural_less);
    return names;
}

bool Root::exists(std::string_view path) const
{
    return resolve(path).has_value();
}

Result<std::string> read_file(const std::string& path, std::size_t limit)
{
    return read_opened(path, limit, O_NONBLOCK);
}

Result<std::string> read_stream(const std::string& path, std::size_t limit)
{
    return read_opened(path, limit, 0);
}

} // namespace mscale
