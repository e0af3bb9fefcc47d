#include <csignal>
#include <cstring>
#include <future>
#include <thread>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.hpp"
#include "daemon/mscaled/connection.hpp"
#include "daemon/mscaled/peers.hpp"
#include "tests/unit/daemon/suites.hpp"

// What a stranger can do to the sockets: connect, stay silent, send much, leave.

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;

namespace {

std::unique_ptr<Loop> make_loop()
{
    return std::move(*Loop::create());
}

unsigned port_of(int fd)
{
    sockaddr_in6 address{};
    socklen_t length = sizeof address;
    ck_assert_int_eq(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length), 0);
    return ntohs(address.sin6_port); // at the same place in a sockaddr_in
}

/// A blocking connection to a port of this host, from `source` or from any port.
Fd connect_to_port(unsigned port, unsigned source = 0)
{
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<in_port_t>(source));
    if (source != 0 && bind(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        return Fd();
    address.sin_port = htons(static_cast<in_port_t>(port));
    ck_assert_int_eq(connect(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return socket;
}

/// True when the other side closes within the time.
bool closes_within(const Fd& socket, std::chrono::milliseconds time)
{
    pollfd entry{socket.number(), POLLIN, 0};
    char byte = 0;
    return poll(&entry, 1, static_cast<int>(time.count())) == 1 && recv(socket.number(), &byte, 1, 0) <= 0;
}

/// Ends so that the other side learns it at once (RST).
void slam(Fd socket)
{
    const linger at_once{1, 0};
    setsockopt(socket.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void send_frame(const Fd& socket, const std::string& text)
{
    const std::string frame = to_frame(text);
    ck_assert_int_eq(send(socket.number(), frame.data(), frame.size(), MSG_NOSIGNAL),
                     static_cast<ssize_t>(frame.size()));
}

/// Runs `client` beside the loop and stops the loop after it.
void run_with(Loop& loop, const std::function<void()>& client)
{
    std::thread thread([&] {
        client();
        loop.post([&] { loop.stop(); });
    });
    ck_assert(loop.run().has_value());
    thread.join();
}

/// Two ends of a stream; the first doesn't block.
std::pair<Fd, Fd> make_pair()
{
    int ends[2] = {-1, -1};
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    return {Fd(ends[0]), Fd(ends[1])};
}

void drop_lines(Level, const std::string&) {}

} // namespace

START_TEST(a_connection_without_a_message_ends_soon)
{
    const auto loop = make_loop();
    auto [ours, theirs] = make_pair();
    Code ended = Code::usage;
    const auto connection = Connection::start(*loop, std::move(ours), cut_line, 100, {20ms, 60s},
                                              {[](const std::string&) {},
                                               [&](const Error* why) {
                                                   if (why) ended = why->code;
                                                   loop->stop();
                                               }});
    ck_assert(loop->run().has_value());
    ck_assert(ended == Code::deadline);
}
END_TEST

START_TEST(an_answer_may_take_longer_than_the_question)
{
    const auto loop = make_loop();
    auto [ours, theirs] = make_pair();
    bool whole = false;
    std::shared_ptr<Connection> connection;
    connection = Connection::start(
        *loop, std::move(ours), cut_line, 100, {20ms, 60s},
        {[&](const std::string&) { loop->after(60ms, [&] { connection->send("answer\n"); }); },
         [&](const Error* why) {
             whole = why == nullptr;
             loop->stop();
         }});
    ck_assert_int_eq(write(theirs.number(), "question\n", 9), 9);
    ck_assert(loop->run().has_value());
    ck_assert(whole);
}
END_TEST

START_TEST(a_connection_beyond_the_limit_of_its_source_is_closed_at_once)
{
    const auto loop = make_loop();
    auto socket = std::move(*listen_tcp(0));
    const unsigned port = port_of(socket.number());
    std::vector<std::pair<Fd, Seat>> held;
    Listener listener(
        *loop, std::move(socket), Hall(Seats(8, 2), Seats(8, 2)), identify_peer,
        [&](Fd accepted, Seat seat) { held.emplace_back(std::move(accepted), std::move(seat)); });
    run_with(*loop, [&] {
        const Fd first = connect_to_port(port), second = connect_to_port(port), third = connect_to_port(port);
        ck_assert(closes_within(third, 2s) && !closes_within(first, 50ms) && !closes_within(second, 0ms));
        std::promise<void> freed;
        loop->post([&] {
            held.clear();
            freed.set_value();
        });
        freed.get_future().wait();
        const Fd fourth = connect_to_port(port);
        ck_assert(!closes_within(fourth, 50ms));
    });
}
END_TEST

START_TEST(a_port_that_only_root_can_take_is_roots)
{
    const auto socket = std::move(*listen_tcp(0));
    const unsigned port = port_of(socket.number());
    const auto accept_one = [&] {
        pollfd entry{socket.number(), POLLIN, 0};
        poll(&entry, 1, 2000);
        return Fd(accept(socket.number(), nullptr, nullptr));
    };
    const Fd plain = connect_to_port(port);
    const Source user = identify_peer(accept_one().number());
    ck_assert(user.name.ends_with("127.0.0.1") && !user.root);
    const Fd reserved = geteuid() == 0 ? connect_to_port(port, 987) : Fd();
    if (!reserved) return; // not root, or somebody else has the port
    const Source root = identify_peer(accept_one().number());
    ck_assert(root.root);
    expect_text(root.name, user.name);
}
END_TEST

START_TEST(who_leaves_after_a_message_keeps_the_seat_until_it_was_looked_at)
{
    set_sink(drop_lines);
    const auto loop = make_loop();
    Worker own(*loop), strangers(*loop, 64);
    std::promise<void> begun, release;
    strangers.run<Result<int>>(
        [&]() -> Result<int> {
            begun.set_value();
            release.get_future().wait();
            return 0;
        },
        [](const Result<int>&) {});
    begun.get_future().wait();
    auto socket = std::move(*listen_tcp(0));
    const unsigned port = port_of(socket.number());
    Peers peers(*loop, {own, strangers}, Sealer("/nowhere"), std::move(socket), {}, {});
    run_with(*loop, [&] {
        for (int i = 0; i < 8; ++i) {
            Fd client = connect_to_port(port);
            send_frame(client, "a credential");
            std::this_thread::sleep_for(20ms); // read, and in the queue
            slam(std::move(client));
        }
        std::this_thread::sleep_for(50ms);
        ck_assert(closes_within(connect_to_port(port), 500ms));
        release.set_value();
        std::this_thread::sleep_for(100ms);
        ck_assert(!closes_within(connect_to_port(port), 500ms));
    });
}
END_TEST

Suite* sockets_suite()
{
    return make_suite("sockets", a_connection_without_a_message_ends_soon,
                      an_answer_may_take_longer_than_the_question,
                      a_connection_beyond_the_limit_of_its_source_is_closed_at_once,
                      a_port_that_only_root_can_take_is_roots,
                      who_leaves_after_a_message_keeps_the_seat_until_it_was_looked_at);
}
