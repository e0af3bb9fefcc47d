#include "cli/port_probe.hpp"

#include <algorithm>
#include <memory>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/handle.hpp"

namespace mscale::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// A connection in the making, or nothing when the host has no address.
Fd begin_connection(const std::string& host, unsigned port)
{
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0) return Fd();
    const Addresses addresses(list, ::freeaddrinfo);
    Fd socket(::socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket)
        static_cast<void>(::connect(socket.number(), list->ai_addr, list->ai_addrlen)); // poll tells the end
    return socket;
}

bool is_connected(const Fd& socket)
{
    int fault = 0;
    socklen_t size = sizeof fault;
    return ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &fault, &size) == 0 && fault == 0;
}

bool answers_until(Clock::time_point end, const Fd& socket)
{
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd ready = {socket.number(), POLLOUT, 0};
    return socket && ::poll(&ready, 1, left > 0 ? static_cast<int>(left) : 0) > 0 && is_connected(socket);
}

} // namespace

std::vector<std::string> find_silent_hosts(const std::vector<std::string>& hosts, unsigned port,
                                           std::chrono::milliseconds deadline)
{
    const auto end = Clock::now() + deadline;
    constexpr std::size_t at_once = 500; // an open file each
    std::vector<std::string> silent;
    for (std::size_t first = 0; first < hosts.size(); first += at_once) {
        const std::size_t last = std::min(hosts.size(), first + at_once);
        std::vector<Fd> sockets;
        for (std::size_t i = first; i < last; ++i) sockets.push_back(begin_connection(hosts[i], port));
        for (std::size_t i = first; i < last; ++i)
            if (!answers_until(end, sockets[i - first])) silent.push_back(hosts[i]);
    }
    return silent;
}

} // namespace mscale::cli
