#include "library/channel.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/text.hpp"
#include "library/packet.hpp"

namespace mscale::library {
namespace {

tl::unexpected<Error> lost(std::string what, int error_number)
{
    return os_failure(Code::keeper_lost, std::move(what), error_number);
}

Fd take_descriptor(msghdr& header)
{
    Fd taken;
    for (cmsghdr* part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        int number = -1;
        std::memcpy(&number, CMSG_DATA(part), sizeof number);
        taken = Fd(number);
    }
    return taken;
}

} // namespace

Result<Channel> Channel::connect(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return failure(Code::keeper_lost, format("{}: too long for a socket's path", printable(path)));
    std::memcpy(address.sun_path, path.data(), path.size());
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return lost("socket", errno);
    if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return lost("connect " + path, errno);
    return Channel(std::move(socket));
}

Result<bool> Channel::send(const Json& message) const
{
    const std::string text = message.dump();
    if (::send(number(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return true;
    if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR) return false;
    return lost("send to the keeper", errno);
}

Result<std::optional<Channel::Packet>> Channel::receive(std::chrono::milliseconds wait) const
{
    pollfd ready{number(), POLLIN, 0};
    if (const int count = ::poll(&ready, 1, static_cast<int>(wait.count())); count <= 0) return std::nullopt;
    std::string text(longest_packet, '\0');
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    iovec part{text.data(), text.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t size = ::recvmsg(number(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
    if (size < 0) return lost("receive from the keeper", errno);
    if (size == 0) return failure(Code::keeper_lost, "the keeper closed the connection");
    Packet packet{{}, take_descriptor(header)};
    text.resize(static_cast<std::size_t>(size));
    auto message = parse_json(text, "the keeper's message");
    if (!message || !message->is_object() || (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
        return failure(Code::keeper_lost, "the keeper's message can't be read");
    packet.message = std::move(*message);
    return packet;
}

} // namespace mscale::library
