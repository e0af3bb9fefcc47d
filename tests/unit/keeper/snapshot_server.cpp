#include "daemon/keeper/snapshot_server.hpp"

#include <cerrno>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/log.hpp"
#include "tests/unit/keeper/snapshots.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace mscale::recovery;

namespace {

constexpr std::chrono::milliseconds limit{10000}; // longer than a test takes: no stream ends by itself

/// A munge that trusts everybody.
const Introduction trusting{
    [](std::string_view secret) -> Result<std::string> { return "sealed:" + std::string(secret); },
    [](const std::string& credential) -> Result<std::string> { return credential.substr(7); }};

/// A server on a port of the loopback.
struct Server {
    Server()
    {
        set_sink([](Level, const std::string&) {});
        Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        ck_assert_int_eq(bind(socket.number(), pointer(), length), 0);
        ck_assert_int_eq(listen(socket.number(), 64), 0);
        ck_assert_int_eq(getsockname(socket.number(), pointer(), &length), 0);
        server = std::make_unique<SnapshotServer>(
            std::move(socket), store, trusting, [](const Announcement&) { return Result<void>(); }, limit);
    }
    sockaddr* pointer() { return reinterpret_cast<sockaddr*>(&address); }
    /// As any user of a host can.
    Fd connect()
    {
        Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        ck_assert_int_eq(::connect(socket.number(), pointer(), sizeof address), 0);
        return socket;
    }

    sockaddr_in address{};
    SegmentStore store;
    std::unique_ptr<SnapshotServer> server;
};

/// True when the other side closes within the time.
bool is_closed(const Fd& socket, int milliseconds)
{
    pollfd waited{socket.number(), POLLIN, 0};
    char byte = 0;
    return poll(&waited, 1, milliseconds) == 1 && recv(socket.number(), &byte, 1, MSG_DONTWAIT) <= 0;
}

} // namespace

START_TEST(who_only_connects_takes_a_few_streams_of_an_address_and_none_of_the_keepers)
{
    Server server;
    std::vector<Fd> strangers;
    for (unsigned i = 0; i < SnapshotServer::most_strangers_of_address; ++i) strangers.push_back(server.connect());
    ck_assert(is_closed(server.connect(), 2000));
    ck_assert(!is_closed(strangers.back(), 100));
    if (geteuid() != 0) return; // a keeper's port is root's
    const auto keeper = FrameStream::connect(server.pointer(), sizeof server.address, trusting, limit, limit);
    ck_assert(keeper.has_value());
}
END_TEST

START_TEST(a_stream_that_ended_gives_its_place_back)
{
    Server server;
    for (unsigned i = 0; i < 3 * SnapshotServer::most_strangers_of_address; ++i) {
        const Fd stranger = server.connect();
        shutdown(stranger.number(), SHUT_WR);
        ck_assert(is_closed(stranger, 2000));
    }
    Fd stranger = server.connect();
    ck_assert(!is_closed(stranger, 200));
}
END_TEST

Suite* snapshot_server_suite()
{
    return make_suite("snapshot_server", who_only_connects_takes_a_few_streams_of_an_address_and_none_of_the_keepers,
                      a_stream_that_ended_gives_its_place_back);
}
