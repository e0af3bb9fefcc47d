#include "daemon/mscaled/directory_notice.hpp"

#include <cerrno>

#include <poll.h>
#include <sys/inotify.h>

namespace mscale::daemon {

Result<DirectoryNotice> DirectoryNotice::open(const std::string& directory)
{
    Fd notice(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!notice) return os_failure(Code::node_act, "inotify", errno);
    constexpr std::uint32_t events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR;
    if (inotify_add_watch(notice.number(), directory.c_str(), events) < 0) {
        return os_failure(Code::node_act, "watching " + directory, errno);
    }
    return DirectoryNotice(std::move(notice));
}

void DirectoryNotice::start(Loop& loop, Loop::Call changed)
{
    loop.watch(notice_.number(), POLLIN, [fd = notice_.number(), changed = std::move(changed)](short) {
        alignas(inotify_event) char events[4096];
        while (read(fd, events, sizeof events) > 0) {}
        changed();
    });
}

} // namespace mscale::daemon
