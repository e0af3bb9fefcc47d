#pragma once

#include <string>

#include "base/handle.hpp"
#include "daemon/mscaled/loop.hpp"

namespace mscale::daemon {

/// Calls back, by inotify, when files of a directory are created, replaced, appended to or removed.
class DirectoryNotice {
public:
    static Result<DirectoryNotice> open(const std::string& directory);
    /// `changed` is called on the loop, once for a burst of changes.
    void start(Loop& loop, Loop::Call changed);

private:
    explicit DirectoryNotice(Fd notice) : notice_(std::move(notice)) {}
    Fd notice_;
};

} // namespace mscale::daemon
