#pragma once

#include <functional>

#include "base/handle.hpp"
#include "daemon/mscaled/loop.hpp"
#include "daemon/mscaled/seats.hpp"

namespace mscale::daemon {

/// Accepts connections on a listening socket, as many as there are seats for, and never spins when the system has
/// no descriptors left.  One without a seat is closed at once.
class Listener {
public:
    /// Says where a connection comes from.
    using Identify = std::function<Source(int fd)>;
    /// Takes the new non-blocking socket and its seat, to be kept for as long as the connection costs anything.
    using Accepted = std::function<void(Fd, Seat)>;

    Listener(Loop& loop, Fd socket, Hall hall, Identify identify, Accepted accepted);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

private:
    void accept_one();
    void resume();

    Loop& loop_;
    Fd socket_;
    Hall hall_;
    Identify identify_;
    Accepted accepted_;
};

/// A UNIX stream socket at `path` that anybody may connect to; what lay there before is removed.
Result<Fd> listen_local(const std::string& path);
/// The address at the other end of a TCP connection; root's when its port is one that only root can take.
Source identify_peer(int fd);

/// A TCP socket on every address of this host.
Result<Fd> listen_tcp(unsigned port);

} // namespace mscale::daemon
