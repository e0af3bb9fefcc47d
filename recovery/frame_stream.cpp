#include "recovery/frame_stream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/uio.h>

#include "base/json.hpp"
#include "base/reserved_port.hpp"
#include "base/text.hpp"
#include "recovery/frame_path.hpp"

namespace mscale::recovery {
namespace {

constexpr std::string_view from_initiator = "initiator", from_acceptor = "acceptor";

std::span<const std::byte> bytes_of(std::string_view text)
{
    return std::as_bytes(std::span(text.data(), text.size()));
}

/// What a stalled send or receive is for people.
int stalled(int error_number)
{
    return error_number == EAGAIN ? ETIMEDOUT : error_number;
}

/// A host that answers nothing ends the connection, also where nobody sends: a second of silence, then questions.
void notice_dead_host(int socket, std::chrono::milliseconds limit)
{
    const int on = 1, second = 1, questions = 3;
    const auto unanswered = static_cast<unsigned>(std::clamp<std::int64_t>(limit.count(), 2000, INT_MAX));
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &second, sizeof second);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &second, sizeof second);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &questions, sizeof questions);
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered, sizeof unanswered);
}

/// A send or receive that makes no progress for as long ends with EAGAIN.
void limit_stalls(int socket, std::chrono::milliseconds limit)
{
    const timeval time{limit.count() / 1000, limit.count() % 1000 * 1000};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    notice_dead_host(socket, limit);
}

Result<void> finish_connect(int socket, std::chrono::milliseconds limit)
{
    pollfd waited{socket, POLLOUT, 0};
    const int ready = poll(&waited, 1, static_cast<int>(limit.count()));
    int error = ready == 0 ? ETIMEDOUT : errno;
    socklen_t length = sizeof error;
    if (ready > 0) getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) return os_failure(Code::peer, "connecting to a keeper", error);
    return {};
}

Result<Fd> open_socket(const sockaddr* address, socklen_t length, std::chrono::milliseconds limit)
{
    Fd socket(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return os_failure(Code::peer, "making a socket", errno);
    take_reserved_port(socket.number(), address->sa_family);
    if (::connect(socket.number(), address, length) != 0) {
        if (errno != EINPROGRESS) return os_failure(Code::peer, "connecting to a keeper", errno);
        if (auto done = finish_connect(socket.number(), limit); !done)
            return tl::unexpected(std::move(done.error()));
    }
    return socket;
}

void make_blocking(int socket)
{
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK);
}

/// Reads the hello, whose key isn't known yet.
Result<std::string> read_exactly(int socket, std::size_t size)
{
    std::string bytes(size, '\0');
    const ssize_t got = recv(socket, bytes.data(), size, MSG_WAITALL);
    if (got < 0) return os_failure(Code::peer, "reading a keeper's introduction", stalled(errno));
    if (static_cast<std::size_t>(got) != size)
        return failure(Code::peer, "the other keeper closed before it said who it is");
    return bytes;
}

/// The Error that an error frame holds.
Error error_in(const Frame& frame)
{
    const auto json = parse_json(frame.payload, "a keeper's error");
    const auto text =
        json ? read_member<std::string>(*json, "text", "a keeper's error") : tl::unexpected(json.error());
    const auto id =
        json ? read_member<std::string>(*json, "code", "a keeper's error") : tl::unexpected(json.error());
    const auto code = id ? find_code(*id) : std::nullopt;
    return failure(code ? code->code : Code::peer, text ? printable(*text) : "the other keeper failed")
        .value();
}

} // namespace

FrameStream::FrameStream(Fd socket, const SessionKey& key, bool initiator,
                         std::chrono::milliseconds stall_limit)
    : socket_(std::move(socket)), stall_limit_(stall_limit),
      sending_(key.derive(initiator ? from_initiator : from_acceptor)),
      receiving_(key.derive(initiator ? from_acceptor : from_initiator)), path_(std::make_unique<FramePath>())
{
}

SessionKey::Mac FrameStream::prove(std::string_view what) const
{
    return sending_.sign({reinterpret_cast<const std::uint8_t*>(what.data()), what.size()});
}

bool FrameStream::proves(std::string_view what, const SessionKey::Mac& proof) const
{
    return receiving_.verify({reinterpret_cast<const std::uint8_t*>(what.data()), what.size()}, proof);
}

Result<FrameStream> FrameStream::connect(const sockaddr* address, socklen_t length,
                                         const Introduction& introduction,
                                         std::chrono::milliseconds connect_limit,
                                         std::chrono::milliseconds stall_limit)
{
    const SessionKey key = SessionKey::make();
    const auto credential = introduction.seal(key.expose());
    if (!credential) return tl::unexpected(credential.error());
    auto socket = open_socket(address, length, connect_limit);
    if (!socket) return tl::unexpected(std::move(socket.error()));
    make_blocking(socket->number());
    limit_stalls(socket->number(), stall_limit);
    FrameStream stream(std::move(*socket), key, true, stall_limit);
    if (auto sent = stream.send({}, *credential); !sent) return tl::unexpected(std::move(sent.error()));
    const auto answer = stream.receive(); // only who could open the credential can sign it
    if (!answer) return tl::unexpected(answer.error());
    return stream;
}

Result<FrameStream> FrameStream::accept(Fd socket, const Introduction& introduction,
                                        std::chrono::milliseconds stall_limit)
{
    make_blocking(socket.number());
    limit_stalls(socket.number(), stall_limit);
    const auto header_bytes = read_exactly(socket.number(), frame_header_bytes);
    if (!header_bytes) return tl::unexpected(header_bytes.error());
    const auto header = peek_hello(*header_bytes);
    if (!header) return tl::unexpected(header.error());
    const auto credential = read_exactly(socket.number(), header->length);
    if (!credential) return tl::unexpected(credential.error());
    auto secret = introduction.open(*credential);
    if (!secret) return tl::unexpected(secret.error());
    const auto key = SessionKey::take(*secret);
    wipe(*secret);
    if (!key) return tl::unexpected(key.error());
    FrameStream stream(std::move(socket), *key, false, stall_limit);
    if (auto checked = decode_frame(*header_bytes, stream.receiving_, 0); !checked)
        return tl::unexpected(std::move(checked.error()));
    stream.received_ = 1;
    FrameHeader welcome;
    welcome.type = FrameType::ack;
    if (auto sent = stream.send(welcome, std::string_view()); !sent)
        return tl::unexpected(std::move(sent.error()));
    return stream;
}

Result<void> FrameStream::send(FrameHeader header, std::string_view payload)
{
    return send(header, bytes_of(payload));
}

Result<void> FrameStream::send(FrameHeader header, std::span<const std::byte> payload)
{
    header.sequence = sent_++;
    const std::string encoded = encode_frame(header, payload, sending_);
    return send_exactly(bytes_of(encoded), payload);
}

Result<void> FrameStream::send_exactly(std::span<const std::byte> first, std::span<const std::byte> second)
{
    while (!first.empty() || !second.empty()) {
        std::array<iovec, 2> parts{iovec{const_cast<std::byte*>(first.data()), first.size()},
                                   iovec{const_cast<std::byte*>(second.data()), second.size()}};
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = parts.size();
        const ssize_t sent = sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return os_failure(Code::peer, "sending to a keeper", stalled(errno));
        const std::size_t of_first = std::min(first.size(), static_cast<std::size_t>(sent));
        first = first.subspan(of_first);
        second = second.subspan(static_cast<std::size_t>(sent) - of_first);
    }
    return {};
}

Result<void> FrameStream::receive_exactly(std::span<std::byte> place)
{
    while (!place.empty()) {
        const ssize_t got = recv(socket_.number(), place.data(), place.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return os_failure(Code::peer, "receiving from a keeper", stalled(errno));
        if (got == 0) return failure(Code::peer, "the other keeper closed the connection");
        place = place.subspan(static_cast<std::size_t>(got));
    }
    return {};
}

Result<FrameHeader> FrameStream::receive_header()
{
    std::array<std::byte, frame_header_bytes> bytes{};
    if (auto read = receive_exactly(bytes); !read) return tl::unexpected(std::move(read.error()));
    return decode_frame({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, receiving_, received_++);
}

Result<Frame> FrameStream::receive(std::chrono::milliseconds limit)
{
    pollfd waited{socket_.number(), POLLIN, 0};
    const auto until = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        const int ready = poll(&waited, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX)));
        if (ready > 0) return receive();
        if (ready == 0) return os_failure(Code::peer, "waiting for a keeper", ETIMEDOUT);
        if (errno != EINTR) return os_failure(Code::peer, "waiting for a keeper", errno);
    }
}

Result<Frame> FrameStream::receive()
{
    auto header = receive_header();
    if (!header) return tl::unexpected(std::move(header.error()));
    Frame frame{*header, std::string(header->length, '\0')};
    const std::span<std::byte> place = std::as_writable_bytes(std::span(frame.payload));
    if (auto read = receive_exactly(place); !read) return tl::unexpected(std::move(read.error()));
    if (auto checked = check_payload(*header, place); !checked)
        return tl::unexpected(std::move(checked.error()));
    if (header->type == FrameType::error) return tl::unexpected(error_in(frame));
    return frame;
}

Result<FrameHeader> FrameStream::receive_into(std::span<std::byte> place)
{
    auto header = receive_header();
    if (!header) return header;
    if (header->type == FrameType::error) {
        Frame frame{*header, std::string(header->length, '\0')};
        if (auto read = receive_exactly(std::as_writable_bytes(std::span(frame.payload))); !read)
            return tl::unexpected(std::move(read.error()));
        return tl::unexpected(error_in(frame));
    }
    if (header->length > place.size())
        return failure(Code::bad_frame, format("{} bytes where {} were due", header->length, place.size()));
    if (auto read = receive_exactly(place.first(header->length)); !read)
        return tl::unexpected(std::move(read.error()));
    if (auto checked = check_payload(*header, place.first(header->length)); !checked)
        return tl::unexpected(std::move(checked.error()));
    return header;
}

} // namespace mscale::recovery
