#include <cstring>

#include <netinet/in.h>
#include <sys/socket.h>

#include "daemon/failure/beat_socket.hpp"
#include "daemon/failure/slurmd_probe.hpp"
#include "tests/unit/failure/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;

namespace {

unsigned port_of(int socket)
{
    sockaddr_in6 address{}; // the port lies at the same place in both families
    socklen_t length = sizeof address;
    ck_assert(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0);
    return ntohs(address.sin6_port);
}

/// A TCP socket of this host that listens, or doesn't.
Fd bind_tcp(bool listening)
{
    Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ck_assert(bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    if (listening) ck_assert(listen(socket.number(), 1) == 0);
    return socket;
}

bool probe(const std::string& host, unsigned port)
{
    const auto loop = std::move(*Loop::create());
    std::optional<bool> found;
    probe_slurmd(*loop, resolve_host(host, port).value(), 200ms, [&](bool answers) {
        found = answers;
        loop->stop();
    });
    if (!found) ck_assert(loop->run().has_value());
    return found.value();
}

} // namespace

SilentPort::SilentPort() : listener_(bind_tcp(false)), waiting_(::socket(AF_INET, SOCK_STREAM, 0))
{
    ck_assert(listen(listener_.number(), 0) == 0);
    const auto address = resolve_host("127.0.0.1", number()).value();
    ck_assert(
        connect(waiting_.number(), reinterpret_cast<const sockaddr*>(&address.address), address.length) == 0);
}

unsigned SilentPort::number() const
{
    return port_of(listener_.number());
}

START_TEST(a_datagram_arrives_as_it_was_sent_over_both_families)
{
    const auto loop = std::move(*Loop::create());
    Fd socket = BeatSocket::open(0).value();
    const unsigned port = port_of(socket.number());
    std::vector<std::string> arrived;
    const BeatSocket beats(*loop, std::move(socket), [&](std::string_view bytes) {
        arrived.emplace_back(bytes);
        if (arrived.size() == 2) loop->stop();
    });
    beats.send(resolve_host("127.0.0.1", port).value(), "one");
    beats.send(resolve_host("127.0.0.1", port).value(), std::string("t\0o", 3));
    loop->after(2s, [&] { loop->stop(); });
    ck_assert(loop->run().has_value());
    ck_assert(arrived == std::vector<std::string>({"one", std::string("t\0o", 3)}));
}
END_TEST

START_TEST(a_host_that_accepts_or_refuses_is_alive)
{
    const Fd open = bind_tcp(true), closed = bind_tcp(false);
    ck_assert(probe("127.0.0.1", port_of(open.number())));
    ck_assert(probe("127.0.0.1", port_of(closed.number())));
}
END_TEST

START_TEST(a_host_that_says_nothing_is_none)
{
    const SilentPort silent;
    ck_assert(!probe("127.0.0.1", silent.number()));
}
END_TEST

Suite* sockets_suite()
{
    return make_suite("sockets", a_datagram_arrives_as_it_was_sent_over_both_families,
                      a_host_that_accepts_or_refuses_is_alive, a_host_that_says_nothing_is_none);
}
