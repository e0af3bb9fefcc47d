#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/stat.h>

#include "contract/site.hpp"

namespace mscale::daemon {

/// mscale.conf as a running daemon sees it.  A file with a fault leaves the old settings in force and is logged once.
class SiteFile {
public:
    /// `site` was read from `path` (as for read_site) before.
    SiteFile(std::string path, const contract::Site& site);

    /// What is in force from now on, or nothing when that is what was in force.  `forced` reads the file even when
    /// it looks unchanged.
    std::optional<contract::Site> read_again(bool forced);

private:
    struct Stamp {
        ino_t inode = 0;
        off_t size = -1;
        std::int64_t seconds = 0, nanoseconds = 0;
        bool operator==(const Stamp&) const = default;
    };
    Stamp stamp() const;

    std::string path_;
    contract::Site site_;
    Stamp seen_; // of no file at first: it may have changed since `site` was read
};

/// `next` with what only a restart changes as it is in `now`: sockets, port and the directory of the ledgers.
contract::Site keep_fixed(contract::Site next, const contract::Site& now);

} // namespace mscale::daemon
