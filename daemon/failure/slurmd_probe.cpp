#include "daemon/failure/slurmd_probe.hpp"

#include <cerrno>
#include <memory>

#include <poll.h>
#include <sys/socket.h>

namespace mscale::daemon {

namespace {

bool is_answer(int error_number)
{
    return error_number == 0 || error_number == ECONNREFUSED || error_number == ECONNRESET;
}

int read_error(int socket)
{
    int error_number = 0;
    socklen_t length = sizeof error_number;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error_number, &length) == 0 ? error_number : errno;
}

/// A connection that is being made; lives in the callbacks of the loop.
struct Probe {
    Loop& loop;
    Fd socket;
    std::function<void(bool)> done;
    Loop::TimerId timer = 0;

    void end(bool answered)
    {
        loop.unwatch(socket.number());
        loop.cancel(timer);
        socket = Fd();
        done(answered);
    }
};

} // namespace

void probe_slurmd(Loop& loop, const NodeAddress& address, std::chrono::milliseconds limit,
                  std::function<void(bool)> done)
{
    Fd socket(::socket(address.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const auto* target = reinterpret_cast<const sockaddr*>(&address.address);
    if (!socket) return done(true); // nothing was learned of the node: no reason to call it dead
    const int made = connect(socket.number(), target, address.length) == 0 ? 0 : errno;
    if (made != EINPROGRESS) return done(is_answer(made));
    const int number = socket.number();
    const auto probe = std::make_shared<Probe>(Probe{loop, std::move(socket), std::move(done)});
    loop.watch(number, POLLOUT, [probe, number](short) { probe->end(is_answer(read_error(number))); });
    probe->timer = loop.after(limit, [probe] { probe->end(false); });
}

} // namespace mscale::daemon
