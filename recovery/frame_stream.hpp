#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <sys/socket.h>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "recovery/data_path.hpp"
#include "recovery/frame.hpp"

namespace mscale::recovery {

/// How two keepers prove to each other who they are: the session's secret travels in a credential that only root can open
/// (munge).  Both calls may block.
struct Introduction {
    std::function<Result<std::string>(std::string_view secret)> seal;
    std::function<Result<std::string>(const std::string& credential)> open;
};

/// A frame as it came.
struct Frame {
    FrameHeader header;
    std::string payload;
};

/// A TCP connection between two keepers that carries frames.  Every call may block until its deadline: for threads.
class FrameStream {
public:
    /// Connects and introduces this side.  peer when nobody answers in time.
    static Result<FrameStream> connect(const sockaddr* address, socklen_t length,
                                       const Introduction& introduction,
                                       std::chrono::milliseconds connect_limit,
                                       std::chrono::milliseconds stall_limit);
    /// Takes over an accepted socket and hears the other side's introduction.
    static Result<FrameStream> accept(Fd socket, const Introduction& introduction,
                                      std::chrono::milliseconds stall_limit);

    /// Sends one frame; the header's sequence, length and checksum are set here.
    Result<void> send(FrameHeader header, std::span<const std::byte> payload);
    Result<void> send(FrameHeader header, std::string_view payload);
    /// The next frame.  An error that the other side sent is returned as that error.
    Result<Frame> receive();
    /// The same where the other side may work for as long as `limit` before it begins to answer; no longer than its host lives.
    Result<Frame> receive(std::chrono::milliseconds limit);
    /// As `receive`, but the payload is written to `place`; bad_frame when it is longer.
    Result<FrameHeader> receive_into(std::span<std::byte> place);

    /// The way of the data of snapshots; in frames until another one is used.
    DataPath& path() { return *path_; }
    void use(std::unique_ptr<DataPath> path) { path_ = std::move(path); }

    /// Proves to the other side that `what` comes from this one, and checks such a proof of the other's.
    SessionKey::Mac prove(std::string_view what) const;
    bool proves(std::string_view what, const SessionKey::Mac& proof) const;
    /// The socket: while it is open the other keeper lives.
    int descriptor() const { return socket_.number(); }
    /// How long a send or a receive may make no progress.
    std::chrono::milliseconds stall_limit() const { return stall_limit_; }

private:
    FrameStream(Fd socket, const SessionKey& key, bool initiator, std::chrono::milliseconds stall_limit);
    Result<FrameHeader> receive_header();
    Result<void> receive_exactly(std::span<std::byte> place);
    Result<void> send_exactly(std::span<const std::byte> first, std::span<const std::byte> second);

    Fd socket_;
    std::chrono::milliseconds stall_limit_;
    SessionKey sending_, receiving_;
    std::unique_ptr<DataPath> path_;
    std::uint64_t sent_ = 0, received_ = 0;
};

} // namespace mscale::recovery
