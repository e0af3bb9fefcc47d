#pragma once

#include <functional>

#include "base/handle.hpp"
#include "daemon/mscaled/loop.hpp"

namespace mscale::daemon {

/// Accepts connections on a listening socket, no more than `limit` at once, and never spins when the system
/// has no descriptors left.
class Listener {
public:
    /// `accepted` takes the new non-blocking socket; whoever ends that connection calls `release`.
    Listener(Loop& loop, Fd socket, unsigned limit, std::function<void(Fd)> accepted);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    void release() { --open_; }

private:
    void accept_one();
    void resume();

    Loop& loop_;
    Fd socket_;
    unsigned limit_;
    unsigned open_ = 0;
    std::function<void(Fd)> accepted_;
};

/// A UNIX stream socket at `path` that anybody may connect to; what lay there before is removed.
Result<Fd> listen_local(const std::string& path);
/// A TCP socket on every address of this host.
Result<Fd> listen_tcp(unsigned port);

} // namespace mscale::daemon
