#include "daemon/spill/directory.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::int64_t clock_difference = 300; // seconds between this node and a file server
constexpr int walking = O_PATH | O_DIRECTORY | O_CLOEXEC;
using OpenDirectory = Handle<DIR*, closedir>;

tl::unexpected<Error> refuse(const std::string& text, int error)
{
    return os_failure(Code::spill, text, error);
}

bool is_link(const Fd& at, const std::string& name, uid_t& owner)
{
    struct stat found = {};
    if (fstatat(at.number(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return false;
    owner = found.st_uid;
    return S_ISLNK(found.st_mode);
}

/// One step down; `last` ones may be no link at all.
Result<Fd> step_into(const Fd& at, const std::string& name, const std::string& path, bool last, bool makes)
{
    uid_t owner = 0;
    if (is_link(at, name, owner) && (last || (owner != 0 && owner != geteuid())))
        return failure(Code::spill, format("{} is a symbolic link{}", path, last ? "" : " of another user"));
    Fd next(openat(at.number(), name.c_str(), walking | (last ? O_NOFOLLOW : 0)));
    if (next) return next;
    if (errno != ENOENT) return refuse("opening " + path, errno);
    if (!makes) return failure(Code::no_snapshot, path + " isn't there");
    if (mkdirat(at.number(), name.c_str(), 0700) != 0 && errno != EEXIST) return refuse("making " + path, errno);
    next = Fd(openat(at.number(), name.c_str(), walking | O_NOFOLLOW));
    if (!next) return refuse("opening " + path, errno);
    return next;
}

std::vector<std::string> split_path(const std::string& path)
{
    std::vector<std::string> parts;
    for (const std::string_view part : split(path, '/'))
        if (!part.empty()) parts.emplace_back(part);
    return parts;
}

} // namespace

std::string expand_spill_path(const std::string& text, const std::string& user, std::uint32_t job_id)
{
    std::string path;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view pair = std::string_view(text).substr(i, 2);
        if (pair == "%u") path += user;
        if (pair == "%j") path += std::to_string(job_id);
        if (pair == "%u" || pair == "%j")
            ++i;
        else
            path += text[i];
    }
    return path;
}

Result<SpillDirectory> SpillDirectory::walk(const std::string& parent, std::uint32_t job_id, bool makes)
{
    std::vector<std::string> parts = split_path(parent);
    parts.push_back(format("mscale-{}", job_id));
    SpillDirectory found;
    Fd& at = found.directory_ = Fd(::open("/", walking));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        found.path_ += "/" + parts[i];
        auto next = step_into(at, parts[i], found.path_, i + 2 >= parts.size(), makes);
        if (!next) return tl::unexpected(std::move(next.error()));
        found.parent_ = std::exchange(at, std::move(*next));
    }
    if (auto own = found.check_owner(); !own) return tl::unexpected(std::move(own.error()));
    Fd readable(openat(found.directory_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!readable) return refuse("opening " + found.path_, errno);
    found.directory_ = std::move(readable);
    return found;
}

Result<void> SpillDirectory::check_owner() const
{
    struct stat found = {};
    if (fstat(directory_.number(), &found) != 0) return refuse(path_, errno);
    if (found.st_uid != geteuid())
        return failure(Code::snapshot_foreign, format("{} belongs to uid {}, not to {}", path_, found.st_uid, geteuid()));
    if (found.st_mode & 022) return failure(Code::spill, format("others may write to {}", path_), "chmod 700 " + path_);
    return {};
}

Result<SpillDirectory> SpillDirectory::make(const std::string& parent, std::uint32_t job_id)
{
    return walk(parent, job_id, true);
}

Result<SpillDirectory> SpillDirectory::open(const std::string& parent, std::uint32_t job_id)
{
    return walk(parent, job_id, false);
}

Result<std::vector<std::string>> SpillDirectory::list() const
{
    const int copy = openat(directory_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const OpenDirectory listing(fdopendir(copy));
    if (!listing) return refuse("listing " + path_, errno);
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = readdir(listing.pointer())) names.emplace_back(entry->d_name);
    if (errno != 0) return refuse("listing " + path_, errno);
    return names;
}

bool SpillDirectory::has(const std::string& name) const
{
    struct stat found = {};
    return fstatat(directory_.number(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found.st_mode) &&
           found.st_uid == geteuid();
}

Result<Fd> SpillDirectory::open_file(const std::string& name) const
{
    Fd file(openat(directory_.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file && errno == ENOENT) return failure(Code::no_snapshot, format("{} isn't in {} here", name, path_));
    if (!file) return os_failure(Code::snapshot_damaged, format("opening {}/{}", path_, name), errno);
    struct stat found = {};
    if (fstat(file.number(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != geteuid())
        return failure(Code::snapshot_damaged, format("{}/{} is no file of uid {}", path_, name, geteuid()));
    return file;
}

Result<Fd> SpillDirectory::create_file(const std::string& name) const
{
    if (auto gone = remove(name); !gone) return tl::unexpected(std::move(gone.error()));
    constexpr int fresh = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    Fd file(openat(directory_.number(), name.c_str(), fresh | O_DIRECT, 0600));
    if (!file && errno == EINVAL) { // a file system without direct writing; it may have made the file all the same
        if (auto gone = remove(name); !gone) return tl::unexpected(std::move(gone.error()));
        file = Fd(openat(directory_.number(), name.c_str(), fresh, 0600));
    }
    if (!file) return refuse(format("making {}/{}", path_, name), errno);
    return file;
}

Result<void> SpillDirectory::rename_file(const std::string& from, const std::string& to) const
{
    if (renameat(directory_.number(), from.c_str(), directory_.number(), to.c_str()) == 0) return {};
    return refuse(format("naming {}/{}", path_, to), errno);
}

Result<void> SpillDirectory::remove(const std::string& name) const
{
    if (unlinkat(directory_.number(), name.c_str(), 0) == 0 || errno == ENOENT) return {};
    return refuse(format("removing {}/{}", path_, name), errno);
}

Result<bool> SpillDirectory::put_aside(std::uint64_t since) const
{
    const auto names = list();
    if (!names) return tl::unexpected(names.error());
    std::int64_t newest = 0;
    for (const std::string& name : *names) {
        struct stat found = {};
        if (!name.starts_with('.') && fstatat(directory_.number(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0)
            newest = std::max<std::int64_t>(newest, found.st_mtime);
    }
    if (newest == 0 || newest + clock_difference > static_cast<std::int64_t>(since)) return false;
    const std::string name = path_.substr(path_.rfind('/') + 1), aside = format("{}.until-{}", name, newest);
    if (renameat(parent_.number(), name.c_str(), parent_.number(), aside.c_str()) != 0)
        return refuse("renaming " + path_, errno);
    return true;
}

Result<void> SpillDirectory::sync() const
{
    if (fsync(directory_.number()) == 0) return {};
    return refuse("writing the names of " + path_, errno);
}

} // namespace mscale::daemon
