#include "daemon/requeue/host_sockets.hpp"

#include <cerrno>
#include <cstdio>

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/handle.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

/// Check runs each test in a process of its own, which gets a network of its own here; false where that isn't allowed.
bool enter_own_network()
{
    const int wanted = geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWNET | CLONE_NEWUSER;
    const bool done = unshare(wanted) == 0;
    if (!done) std::fprintf(stderr, "not run: no network namespace is allowed here\n");
    const Fd socket(::socket(AF_INET, SOCK_DGRAM, 0));
    ifreq loopback{{"lo"}, {}};
    loopback.ifr_flags = IFF_UP;
    if (done) ck_assert_int_eq(ioctl(socket.number(), SIOCSIFFLAGS, &loopback), 0);
    return done;
}

/// A host that listens, on an address of the loopback.
struct Host {
    explicit Host(const char* name) : listening(::socket(AF_INET, SOCK_STREAM, 0)), address(*resolve_host(name, 0))
    {
        ck_assert_int_eq(bind(listening.number(), pointer(), address.length), 0);
        ck_assert_int_eq(listen(listening.number(), 8), 0);
        ck_assert_int_eq(getsockname(listening.number(), pointer(), &address.length), 0);
    }
    Fd connect()
    {
        Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
        ck_assert_int_eq(::connect(socket.number(), pointer(), address.length), 0);
        return socket;
    }
    sockaddr* pointer() { return reinterpret_cast<sockaddr*>(&address.address); }

    Fd listening;
    NodeAddress address;
};

std::uint64_t inode_of(const Fd& socket)
{
    struct stat found = {};
    ck_assert_int_eq(fstat(socket.number(), &found), 0);
    return found.st_ino;
}

/// The errno of a connection that has ended, 0 of one that lives.
int fault_of(const Fd& socket)
{
    char byte = 0;
    if (recv(socket.number(), &byte, 1, MSG_DONTWAIT) >= 0) return ENOTCONN;
    return errno == EAGAIN ? 0 : errno;
}

} // namespace

START_TEST(connections_to_one_host_of_one_process_are_ended_and_no_others)
{
    if (!enter_own_network()) return;
    Host dead("127.0.0.2"), living("127.0.0.3");
    const Fd to_dead = dead.connect(), of_another = dead.connect(), to_living = living.connect();
    const auto ended = end_connections(dead.address, {inode_of(to_dead), inode_of(to_living)});
    if (!ended) return ck_assert_msg(ended.error().text.find("not supported") != std::string::npos, "%s", ended.error().text.c_str());
    ck_assert_uint_eq(*ended, 1);
    ck_assert_int_eq(fault_of(to_dead), ECONNABORTED);
    ck_assert_int_eq(fault_of(of_another), 0);
    ck_assert_int_eq(fault_of(to_living), 0);
    ck_assert_uint_eq(*end_connections(dead.address, {inode_of(to_dead)}), 0);
}
END_TEST

START_TEST(a_connection_from_a_socket_of_the_other_family_is_one_to_the_host)
{
    if (!enter_own_network()) return;
    Host dead("127.0.0.2");
    const Fd socket(::socket(AF_INET6, SOCK_STREAM, 0));
    sockaddr_in6 mapped{};
    mapped.sin6_family = AF_INET6;
    mapped.sin6_port = reinterpret_cast<sockaddr_in&>(dead.address.address).sin_port;
    mapped.sin6_addr = {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 2}}};
    if (!socket || connect(socket.number(), reinterpret_cast<sockaddr*>(&mapped), sizeof mapped) != 0) return; // no IPv6
    const auto ended = end_connections(dead.address, {inode_of(socket)});
    ck_assert(!ended || *ended == 1);
}
END_TEST

Suite* host_sockets_suite()
{
    return make_suite("host_sockets", connections_to_one_host_of_one_process_are_ended_and_no_others,
                      a_connection_from_a_socket_of_the_other_family_is_one_to_the_host);
}
