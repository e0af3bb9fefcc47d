#include "daemon/mscaled/listener.hpp"

#include <cerrno>
#include <cstring>

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr int backlog = 64;
constexpr std::chrono::milliseconds pause{200};

Result<Fd> bind_and_listen(Fd socket, const sockaddr* address, socklen_t length, const std::string& what)
{
    if (!socket) return os_failure(Code::node_act, "making a socket for " + what, errno);
    if (bind(socket.number(), address, length) != 0)
        return os_failure(Code::node_act, "binding " + what, errno);
    if (listen(socket.number(), backlog) != 0)
        return os_failure(Code::node_act, "listening on " + what, errno);
    return socket;
}

Fd make_socket(int family)
{
    return Fd(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

Result<Fd> listen_tcp4(unsigned port)
{
    Fd socket = make_socket(AF_INET);
    const int on = 1;
    setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<in_port_t>(port));
    return bind_and_listen(std::move(socket), reinterpret_cast<const sockaddr*>(&address), sizeof address,
                           format("TCP port {}", port));
}

} // namespace

Listener::Listener(Loop& loop, Fd socket, Hall hall, Identify identify, Accepted accepted)
    : loop_(loop), socket_(std::move(socket)), hall_(std::move(hall)), identify_(std::move(identify)),
      accepted_(std::move(accepted))
{
    resume();
}

Listener::~Listener()
{
    loop_.unwatch(socket_.number());
}

void Listener::resume()
{
    loop_.watch(socket_.number(), POLLIN, [this](short) { accept_one(); });
}

void Listener::accept_one()
{
    Fd accepted(accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!accepted && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)) return;
    if (!accepted) {
        loop_.unwatch(socket_.number());
        loop_.after(pause, [this] { resume(); });
        return;
    }
    Seat seat = hall_.take(identify_(accepted.number()));
    if (seat) accepted_(std::move(accepted), std::move(seat));
}

Source identify_peer(int fd)
{
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
    char host[NI_MAXHOST] = {}, port[NI_MAXSERV] = {};
    if (getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return {};
    }
    return {host, parse_number(port).value_or(IPPORT_RESERVED) < IPPORT_RESERVED};
}

Result<Fd> listen_local(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        return failure(Code::config_value, format("the socket's path {} is longer than {} bytes", path,
                                                  sizeof address.sun_path - 1));
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    unlink(path.c_str());
    auto socket = bind_and_listen(make_socket(AF_UNIX), reinterpret_cast<const sockaddr*>(&address),
                                  sizeof address, path);
    if (socket && chmod(path.c_str(), 0666) != 0)
        return os_failure(Code::node_act, "opening " + path + " to all users", errno);
    return socket;
}

Result<Fd> listen_tcp(unsigned port)
{
    Fd socket = make_socket(AF_INET6);
    if (!socket) return listen_tcp4(port);
    const int on = 1, off = 0;
    setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(socket.number(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(static_cast<in_port_t>(port));
    auto bound = bind_and_listen(std::move(socket), reinterpret_cast<const sockaddr*>(&address),
                                 sizeof address, format("TCP port {}", port));
    return bound ? std::move(bound) : listen_tcp4(port);
}

} // namespace mscale::daemon
