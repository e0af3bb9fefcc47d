#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>

#include <sys/socket.h>

#include "base/error.hpp"
#include "base/handle.hpp"
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
    /// As `receive`, but the payload is written to `place`; bad_frame when it is longer.
    Result<FrameHeader> receive_into(std::span<std::byte> place);

private:
    FrameStream(Fd socket, const SessionKey& key, bool initiator);
    Result<FrameHeader> receive_header();
    Result<void> receive_exactly(std::span<std::byte> place);
    Result<void> send_exactly(std::span<const std::byte> first, std::span<const std::byte> second);

    Fd socket_;
    SessionKey sending_, receiving_;
    std::uint64_t sent_ = 0, received_ = 0;
};

} // namespace mscale::recovery
