#include "slicing/dead_route.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/netlink.hpp"
#include "base/text.hpp"

namespace mscale::slicing {

namespace {

constexpr unsigned char protocol = 109; // mscale's own: iproute2's rt_protos names none of this number

rtmsg make_route(unsigned char family, std::size_t address_bytes)
{
    rtmsg route{};
    route.rtm_family = family;
    route.rtm_dst_len = static_cast<unsigned char>(8 * address_bytes);
    route.rtm_table = RT_TABLE_MAIN;
    route.rtm_protocol = protocol;
    route.rtm_scope = RT_SCOPE_UNIVERSE;
    route.rtm_type = RTN_UNREACHABLE;
    return route;
}

/// The body of a request about the route to one address.
Result<std::string> to_request(const std::string& address)
{
    std::array<char, sizeof(in6_addr)> bytes{};
    for (const int family : {AF_INET, AF_INET6}) {
        if (inet_pton(family, address.c_str(), bytes.data()) != 1) continue;
        const std::size_t length = family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
        std::string body(bytes_of(make_route(static_cast<unsigned char>(family), length)));
        append_attribute(body, RTA_DST, {bytes.data(), length});
        return body;
    }
    return failure(Code::node_act, format("'{}' is no address", printable(address)));
}

/// "" for a route that isn't mscale's.
std::string read_dead_route(const std::string& body)
{
    rtmsg route{};
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (body.size() < sizeof route) return "";
    std::memcpy(&route, body.data(), sizeof route);
    const auto address = find_attribute(body, sizeof route, RTA_DST);
    const std::size_t wanted = route.rtm_family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
    if (route.rtm_protocol != protocol || route.rtm_type != RTN_UNREACHABLE || address.size() != wanted) return "";
    const char* const written = inet_ntop(route.rtm_family, address.data(), text.data(), text.size());
    return written != nullptr ? written : "";
}

/// Asks for the same route with `type`, RTM_NEWROUTE or RTM_DELROUTE: the kernel's errno.
Result<int> change_route(std::uint16_t type, std::uint16_t flags, const std::string& address)
{
    const auto body = to_request(address);
    if (!body) return tl::unexpected(body.error());
    auto kernel = Netlink::open(NETLINK_ROUTE);
    if (!kernel) return tl::unexpected(std::move(kernel.error()));
    return kernel->act(type, flags, *body);
}

} // namespace

Result<void> add_dead_route(const std::string& address)
{
    const auto fault = change_route(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, address);
    if (!fault) return tl::unexpected(fault.error());
    if (*fault == 0) return {};
    const auto known = list_dead_routes();
    if (*fault == EEXIST && known && std::ranges::find(*known, address) != known->end()) return {};
    return os_failure(Code::node_act, format("an unreachable route to {}", address), *fault);
}

Result<void> remove_dead_route(const std::string& address)
{
    const auto fault = change_route(RTM_DELROUTE, 0, address);
    if (!fault) return tl::unexpected(fault.error());
    if (*fault == 0 || *fault == ESRCH) return {};
    return os_failure(Code::node_act, format("removing the unreachable route to {}", address), *fault);
}

Result<std::vector<std::string>> list_dead_routes()
{
    auto kernel = Netlink::open(NETLINK_ROUTE);
    if (!kernel) return tl::unexpected(std::move(kernel.error()));
    std::vector<std::string> addresses;
    for (const int family : {AF_INET, AF_INET6}) {
        rtmsg wanted{};
        wanted.rtm_family = static_cast<unsigned char>(family);
        const auto routes = kernel->list(RTM_GETROUTE, bytes_of(wanted));
        if (!routes && family == AF_INET6) break; // a kernel without it
        if (!routes) return tl::unexpected(routes.error());
        for (const std::string& route : *routes)
            if (std::string address = read_dead_route(route); !address.empty()) addresses.push_back(std::move(address));
    }
    return addresses;
}

} // namespace mscale::slicing
