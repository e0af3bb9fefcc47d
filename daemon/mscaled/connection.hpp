#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/handle.hpp"
#include "daemon/mscaled/framing.hpp"
#include "daemon/mscaled/loop.hpp"

namespace mscale::daemon {

/// A stream on which each side sends one message; never blocks the loop and ends at its deadline.
/// Keeps itself alive until it ends; holders only need it to send or to close.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    struct Handlers {
        std::function<void(std::string)> message; ///< the other side's message; called at most once
        std::function<void(const Error*)> end;    ///< closed; null when all was sent and read as it should be
    };

    /// How long the other side's message may take to arrive, and all of it to the end.
    struct Deadlines {
        std::chrono::milliseconds message, whole;
    };

    /// Takes a connected or connecting non-blocking socket; `limit` bounds the message that is read.
    static std::shared_ptr<Connection> start(Loop& loop, Fd socket, Cut cut, std::size_t limit,
                                             Deadlines deadlines, Handlers handlers);

    /// Sends `bytes`.  The side that answers closes when they are sent; the side that asks when it has read
    /// the answer.
    void send(std::string bytes);
    void close(const Error* why = nullptr);
    int number() const { return socket_.number(); }

private:
    Connection(Loop& loop, Fd socket, Cut cut, std::size_t limit, Handlers handlers);
    void on_ready(short events);
    void receive();
    void deliver();
    void flush();
    void update_interest();
    void fail(std::string text, int error_number);
    void fail_late();

    Loop& loop_;
    Fd socket_;
    Cut cut_;
    std::size_t limit_;
    Handlers handlers_;
    Loop::TimerId message_timer_ = 0, whole_timer_ = 0;
    std::string arrived_;
    std::string pending_;
    bool answered_ = false; // the other side's message was delivered
    bool asks_ = false;     // this side sent first
    bool open_ = true;
};

} // namespace mscale::daemon
