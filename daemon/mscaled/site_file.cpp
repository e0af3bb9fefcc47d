#include "daemon/mscaled/site_file.hpp"

#include "base/log.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

SiteFile::SiteFile(std::string path, const contract::Site& site) : path_(std::move(path)), site_(site) {}

SiteFile::Stamp SiteFile::stamp() const
{
    struct stat status = {};
    if (stat(contract::site_path(path_).c_str(), &status) != 0) return {};
    return {status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

std::optional<contract::Site> SiteFile::read_again(bool forced)
{
    const Stamp now = stamp(); // before the file, so that a change meanwhile is seen the next time
    if (!forced && now == seen_) return std::nullopt;
    seen_ = now;
    const auto read = contract::read_site(path_);
    if (!read) {
        log_error("the settings stay as they were", read.error());
        return std::nullopt;
    }
    contract::Site next = keep_fixed(*read, site_);
    if (next != *read)
        log_line(Level::error,
                 "[paths] state, [daemon] port and [munge] socket of mscale.conf change only when mscaled is "
                 "restarted");
    if (next == site_) return std::nullopt;
    site_ = std::move(next);
    return site_;
}

contract::Site keep_fixed(contract::Site next, const contract::Site& now)
{
    next.state = now.state;
    next.port = now.port;
    next.munge_socket = now.munge_socket;
    return next;
}

} // namespace mscale::daemon
