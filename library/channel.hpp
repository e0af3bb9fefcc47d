#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "base/json_forward.hpp"

namespace mscale::library {

/// The connection to the node's keeper: whole packets, one JSON object each, at most 16 KiB, with a descriptor where
/// the keeper passes memory.  Raises no signal.
class Channel {
public:
    static constexpr std::size_t longest_packet = 16 << 10;

    Channel() = default;
    /// Doesn't wait.  keeper_lost when nobody listens at `path`.
    static Result<Channel> connect(const std::string& path);

    explicit operator bool() const { return static_cast<bool>(socket_); }
    int number() const { return socket_.number(); }
    void close() { socket_ = Fd(); }

    /// False when the keeper has too much to read already; keeper_lost when it is gone.  Doesn't wait.
    Result<bool> send(const Json& message) const;

    struct Packet;
    /// The next packet, or nothing when none came in this time; keeper_lost when the keeper is gone or talks nonsense.
    Result<std::optional<Packet>> receive(std::chrono::milliseconds wait) const;

private:
    explicit Channel(Fd&& socket) : socket_(std::move(socket)) {}

    Fd socket_;
};

} // namespace mscale::library
