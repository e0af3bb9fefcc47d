#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/handle.hpp"
#include "base/json_forward.hpp"
#include "daemon/mscaled/local_socket.hpp"
#include "daemon/mscaled/loop.hpp"

namespace mscale::daemon {

/// The connection of one rank's program, open for as long as the program lives: packets of JSON each way, SOCK_SEQPACKET.
/// Lives on the loop.  A packet that can't be read or sent ends the connection.
class RankChannel : public std::enable_shared_from_this<RankChannel> {
public:
    struct Handlers {
        std::function<void(const Json&)> packet;
        std::function<void()> end; ///< the program ended, left or sent what can't be read; called once
    };

    static std::shared_ptr<RankChannel> start(Loop& loop, Fd socket, Handlers handlers);
    ~RankChannel();

    /// Sends one packet, and a descriptor with it.  A program that doesn't read its packets is let go.
    void send(const Json& packet, std::optional<int> descriptor = {});
    void close();

    RankChannel(const RankChannel&) = delete;

private:
    RankChannel(Loop& loop, Fd socket, Handlers handlers);
    void receive();

    Loop& loop_;
    Fd socket_;
    Handlers handlers_;
    bool open_ = true;
};

/// The socket to which programs connect: `path`, open to all users.
Result<Fd> listen_for_ranks(const std::string& path);

} // namespace mscale::daemon
