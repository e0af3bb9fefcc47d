#pragma once

#include <functional>
#include <string_view>

#include "base/handle.hpp"
#include "daemon/mscaled/loop.hpp"
#include "daemon/mscaled/slurm_nodes.hpp"

namespace mscale::daemon {

/// Sends and receives datagrams; never waits.  Lives on the loop.
class BeatSocket {
public:
    /// The UDP port on every address of this host.
    static Result<Fd> open(unsigned port);

    /// `arrived` gets whatever anybody sent, cut to most_beat_bytes + 1.
    using Arrived = std::function<void(std::string_view)>;
    BeatSocket(Loop& loop, Fd socket, Arrived arrived);
    ~BeatSocket();
    BeatSocket(const BeatSocket&) = delete;
    BeatSocket& operator=(const BeatSocket&) = delete;

    /// What can't be sent is lost, as on the way.
    void send(const NodeAddress& address, std::string_view bytes) const;

private:
    void receive();

    Loop& loop_;
    Fd socket_;
    Arrived arrived_;
};

} // namespace mscale::daemon
