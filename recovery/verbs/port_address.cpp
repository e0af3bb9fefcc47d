#include "recovery/verbs/port_address.hpp"

#include <algorithm>
#include <array>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>

#include "base/text.hpp"
#include "recovery/verbs/event.hpp"

namespace mscale::recovery {

namespace {

const in6_addr& address_6(const sockaddr* address)
{
    return reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
}

bool reaches_others(const ifaddrs& entry)
{
    if (!entry.ifa_addr || (entry.ifa_flags & IFF_UP) == 0 || (entry.ifa_flags & IFF_LOOPBACK) != 0)
        return false;
    if (entry.ifa_addr->sa_family == AF_INET) return true;
    return entry.ifa_addr->sa_family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&address_6(entry.ifa_addr));
}

std::string write_address(const sockaddr* address)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &address_6(address), text.data(), text.size());
    else
        inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text.data(),
                  text.size());
    return text.data();
}

/// A port without a link carries nothing, though its address stays.
bool is_active(const rdma_cm_id& id)
{
    ibv_port_attr found{};
    return ibv_query_port(id.verbs, id.port_num, &found) == 0 && found.state == IBV_PORT_ACTIVE;
}

/// The active port that has the address, "" when no adapter has one.
std::string find_port(rdma_event_channel* channel, sockaddr* address)
{
    const auto id = make_id(channel);
    if (!id || rdma_bind_addr(id->pointer(), address) != 0 || !id->pointer()->verbs) return "";
    if (!is_active(*id->pointer())) return "";
    return format("{}:{}", ibv_get_device_name(id->pointer()->verbs->device), id->pointer()->port_num);
}

} // namespace

std::vector<PortAddress> list_port_addresses()
{
    std::vector<PortAddress> found;
    ifaddrs* first = nullptr;
    const auto channel = open_channel();
    if (!channel || getifaddrs(&first) != 0) return found;
    const Handle<ifaddrs*, freeifaddrs> owner(first);
    for (const ifaddrs* entry = first; entry; entry = entry->ifa_next) {
        if (!reaches_others(*entry)) continue;
        std::string port = find_port(channel->pointer(), entry->ifa_addr);
        if (!port.empty()) found.push_back({std::move(port), write_address(entry->ifa_addr)});
    }
    return found;
}

std::vector<PortAddress> list_port_addresses(const std::vector<std::string>& ports)
{
    std::vector<PortAddress> found = list_port_addresses();
    std::erase_if(found, [&](const PortAddress& entry) {
        const std::string device = entry.port.substr(0, entry.port.find(':'));
        return !ports.empty() && std::ranges::find(ports, entry.port) == ports.end() &&
               std::ranges::find(ports, device) == ports.end();
    });
    return found;
}

Result<sockaddr_storage> read_socket_address(const std::string& address, std::uint16_t port)
{
    sockaddr_storage read{};
    auto* v4 = reinterpret_cast<sockaddr_in*>(&read);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&read);
    if (inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
    } else if (inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
    } else {
        return failure(Code::verbs, format("'{}' is no address", printable(address, 64)));
    }
    return read;
}

} // namespace mscale::recovery
