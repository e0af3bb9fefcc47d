#include "daemon/failure/beat_socket.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>

#include "base/text.hpp"
#include "daemon/failure/beat.hpp"

namespace mscale::daemon {

namespace {

constexpr int datagrams_at_once = 256; // then the loop's other work has its turn

Result<Fd> bind_to(sa_family_t family, const sockaddr* address, socklen_t length, unsigned port)
{
    Fd socket(::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) return os_failure(Code::peer, format("UDP port {}", port), errno);
    const int off = 0;
    if (family == AF_INET6) setsockopt(socket.number(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(socket.number(), address, length) != 0)
        return os_failure(Code::peer, format("UDP port {}", port), errno);
    return socket;
}

Result<Fd> open_ipv4(unsigned port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<in_port_t>(port));
    return bind_to(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address, port);
}

sa_family_t family_of(int socket)
{
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
    return address.ss_family;
}

/// A socket of both families takes addresses of IPv4 only in the form of IPv6 (RFC 4291, 2.5.5.2).
NodeAddress map_to_ipv6(const NodeAddress& address)
{
    if (address.address.ss_family != AF_INET) return address;
    const auto& old = reinterpret_cast<const sockaddr_in&>(address.address);
    NodeAddress mapped;
    mapped.length = sizeof(sockaddr_in6);
    auto& next = reinterpret_cast<sockaddr_in6&>(mapped.address);
    next.sin6_family = AF_INET6;
    next.sin6_port = old.sin_port;
    next.sin6_addr.s6_addr[10] = next.sin6_addr.s6_addr[11] = 0xff;
    std::memcpy(&next.sin6_addr.s6_addr[12], &old.sin_addr, sizeof old.sin_addr);
    return mapped;
}

} // namespace

Result<Fd> BeatSocket::open(unsigned port)
{
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(static_cast<in_port_t>(port));
    auto both = bind_to(AF_INET6, reinterpret_cast<const sockaddr*>(&address), sizeof address, port);
    return both ? std::move(both) : open_ipv4(port);
}

BeatSocket::BeatSocket(Loop& loop, Fd socket, Arrived arrived)
    : loop_(loop), socket_(std::move(socket)), arrived_(std::move(arrived))
{
    loop_.watch(socket_.number(), POLLIN, [this](short) { receive(); });
}

BeatSocket::~BeatSocket()
{
    loop_.unwatch(socket_.number());
}

void BeatSocket::send(const NodeAddress& address, std::string_view bytes) const
{
    const NodeAddress target = family_of(socket_.number()) == AF_INET6 ? map_to_ipv6(address) : address;
    (void)sendto(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&target.address), target.length);
}

void BeatSocket::receive()
{
    std::array<char, most_beat_bytes + 1> bytes;
    for (int i = 0; i < datagrams_at_once; ++i) {
        const ssize_t length = recv(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (length > 0) arrived_({bytes.data(), static_cast<std::size_t>(length)});
    }
}

} // namespace mscale::daemon
