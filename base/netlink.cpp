#include "base/netlink.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace mscale {

namespace {

constexpr timeval patience{2, 0}; // the kernel answers at once, or never

/// What one message says of the end of an answer; -1 while more follows.
int read_end(const nlmsghdr& header, std::string_view body)
{
    if (header.nlmsg_type == NLMSG_DONE) return 0;
    if (header.nlmsg_type != NLMSG_ERROR) return -1;
    nlmsgerr fault{};
    if (body.size() < sizeof fault) return EBADMSG;
    std::memcpy(&fault, body.data(), sizeof fault);
    return -fault.error;
}

} // namespace

Result<Netlink> Netlink::open(int protocol)
{
    Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
    if (!socket) return os_failure(Code::node_act, "opening a netlink socket", errno);
    setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return Netlink(std::move(socket));
}

int Netlink::send(std::uint16_t type, std::uint16_t flags, std::string_view body)
{
    nlmsghdr header{};
    header.nlmsg_len = static_cast<std::uint32_t>(sizeof header + body.size());
    header.nlmsg_type = type;
    header.nlmsg_flags = static_cast<std::uint16_t>(flags | NLM_F_REQUEST);
    header.nlmsg_seq = ++sequence_;
    const std::string message = std::string(bytes_of(header)) + std::string(body);
    const sockaddr_nl kernel{AF_NETLINK, 0, 0, 0};
    const auto sent = sendto(socket_.number(), message.data(), message.size(), 0,
                             reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel);
    return sent < 0 ? errno : 0;
}

int Netlink::receive(std::vector<std::string>& bodies) const
{
    alignas(nlmsghdr) std::array<char, 65536> buffer{};
    for (;;) {
        const auto length = recv(socket_.number(), buffer.data(), buffer.size(), 0);
        if (length < 0 && errno == EINTR) continue;
        if (length < 0) return errno;
        std::string_view rest(buffer.data(), static_cast<std::size_t>(length));
        nlmsghdr header{};
        while (rest.size() >= sizeof header) {
            std::memcpy(&header, rest.data(), sizeof header);
            if (header.nlmsg_len < sizeof header || header.nlmsg_len > rest.size()) return EBADMSG;
            const auto body = rest.substr(sizeof header, header.nlmsg_len - sizeof header);
            rest.remove_prefix(std::min<std::size_t>(NLMSG_ALIGN(header.nlmsg_len), rest.size()));
            if (header.nlmsg_seq != sequence_) continue; // of a request that was given up
            if (const int end = read_end(header, body); end >= 0) return end;
            bodies.emplace_back(body);
        }
    }
}

int Netlink::act(std::uint16_t type, std::uint16_t flags, std::string_view body)
{
    std::vector<std::string> unread;
    const int fault = send(type, static_cast<std::uint16_t>(flags | NLM_F_ACK), body);
    return fault != 0 ? fault : receive(unread);
}

Result<std::vector<std::string>> Netlink::list(std::uint16_t type, std::string_view body)
{
    std::vector<std::string> bodies;
    int fault = send(type, NLM_F_DUMP, body);
    if (fault == 0) fault = receive(bodies);
    if (fault != 0) return os_failure(Code::node_act, "asking the kernel by netlink", fault);
    return bodies;
}

void append_attribute(std::string& body, std::uint16_t type, std::string_view value)
{
    const rtattr attribute{static_cast<unsigned short>(RTA_LENGTH(value.size())), type};
    body += bytes_of(attribute);
    body += value;
    body.resize(RTA_ALIGN(body.size()));
}

std::string_view find_attribute(std::string_view body, std::size_t offset, std::uint16_t type)
{
    rtattr attribute{};
    while (offset + sizeof attribute <= body.size()) {
        std::memcpy(&attribute, body.data() + offset, sizeof attribute);
        if (attribute.rta_len < sizeof attribute || offset + attribute.rta_len > body.size()) break;
        if (attribute.rta_type == type)
            return body.substr(offset + sizeof attribute, attribute.rta_len - sizeof attribute);
        offset += RTA_ALIGN(attribute.rta_len);
    }
    return {};
}

} // namespace mscale
