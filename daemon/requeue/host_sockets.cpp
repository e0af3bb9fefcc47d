#include "daemon/requeue/host_sockets.hpp"

#include <cerrno>
#include <cstring>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/netlink.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::uint32_t connected_states =
    1U << TCP_SYN_SENT | 1U << TCP_ESTABLISHED | 1U << TCP_FIN_WAIT1 | 1U << TCP_CLOSE_WAIT | 1U << TCP_LAST_ACK;
constexpr std::size_t mapped_prefix = 12; // ::ffff:1.2.3.4

/// The bytes of an address of a socket; those of an IPv4 address where it is mapped into IPv6.
std::string address_of(unsigned family, const std::uint32_t (&words)[4])
{
    const std::string bytes(reinterpret_cast<const char*>(words), sizeof words);
    static const std::string mapped("\0\0\0\0\0\0\0\0\0\0\xff\xff", mapped_prefix);
    if (family == AF_INET) return bytes.substr(0, sizeof(in_addr));
    return bytes.starts_with(mapped) ? bytes.substr(mapped_prefix) : bytes;
}

std::string address_of(const NodeAddress& host)
{
    if (host.address.ss_family == AF_INET6) {
        std::uint32_t words[4] = {};
        std::memcpy(words, &reinterpret_cast<const sockaddr_in6&>(host.address).sin6_addr, sizeof words);
        return address_of(AF_INET6, words);
    }
    return std::string(bytes_of(reinterpret_cast<const sockaddr_in&>(host.address).sin_addr));
}

Result<std::vector<std::string>> list_sockets(Netlink& kernel, unsigned char family)
{
    inet_diag_req_v2 wanted{};
    wanted.sdiag_family = family;
    wanted.sdiag_protocol = IPPROTO_TCP;
    wanted.idiag_states = connected_states;
    return kernel.list(SOCK_DIAG_BY_FAMILY, bytes_of(wanted));
}

/// 0, or the kernel's errno.
int end_socket(Netlink& kernel, const inet_diag_msg& socket)
{
    inet_diag_req_v2 named{};
    named.sdiag_family = socket.idiag_family;
    named.sdiag_protocol = IPPROTO_TCP;
    named.idiag_states = connected_states;
    named.id = socket.id; // with the cookie of this very socket
    return kernel.act(SOCK_DESTROY, 0, bytes_of(named));
}

/// Ends those of one family.
Result<unsigned> end_connections(Netlink& kernel, unsigned char family, const std::string& host,
                                 const std::set<std::uint64_t>& inodes)
{
    const auto sockets = list_sockets(kernel, family);
    if (!sockets) return tl::unexpected(sockets.error());
    unsigned ended = 0;
    for (const std::string& body : *sockets) {
        inet_diag_msg socket{};
        if (body.size() < sizeof socket) continue;
        std::memcpy(&socket, body.data(), sizeof socket);
        if (!inodes.contains(socket.idiag_inode)) continue;
        if (address_of(socket.idiag_family, socket.id.idiag_dst) != host) continue;
        const int fault = end_socket(kernel, socket);
        if (fault != 0 && fault != ENOENT)
            return os_failure(Code::node_act, "ending a connection to a dead host", fault);
        if (fault == 0) ++ended;
    }
    return ended;
}

} // namespace

Result<unsigned> end_connections(const NodeAddress& host, const std::set<std::uint64_t>& inodes)
{
    auto kernel = Netlink::open(NETLINK_SOCK_DIAG);
    if (!kernel) return tl::unexpected(std::move(kernel.error()));
    const std::string wanted = address_of(host);
    auto ended = end_connections(*kernel, AF_INET, wanted, inodes);
    if (!ended) return ended;
    const auto more = end_connections(*kernel, AF_INET6, wanted, inodes); // a kernel without it has none
    return *ended + more.value_or(0);
}

} // namespace mscale::daemon
