#include "base/reserved_port.hpp"

#include <random>

#include <netinet/in.h>

namespace mscale {

namespace {
constexpr int first_port = 600, last_port = IPPORT_RESERVED - 1, attempts = 16;
}

void take_reserved_port(int socket, sa_family_t family)
{
    thread_local std::minstd_rand random{std::random_device{}()};
    std::uniform_int_distribution<int> ports(first_port, last_port);
    for (int i = 0; i < attempts; ++i) {
        sockaddr_storage address{};
        address.ss_family = family;
        const in_port_t port = htons(static_cast<in_port_t>(ports(random)));
        if (family == AF_INET) reinterpret_cast<sockaddr_in&>(address).sin_port = port;
        if (family == AF_INET6) reinterpret_cast<sockaddr_in6&>(address).sin6_port = port;
        const socklen_t length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
        if (bind(socket, reinterpret_cast<const sockaddr*>(&address), length) == 0) return;
    }
}

} // namespace mscale
