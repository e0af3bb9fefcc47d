#include "slicing/route_lease.hpp"

#include <cerrno>
#include <cstdio>

#include <arpa/inet.h>
#include <sched.h>
#include <sys/socket.h>

#include "base/handle.hpp"
#include "slicing/dead_route.hpp"
#include "slicing/lease.hpp"
#include "tests/unit/slicing/suites.hpp"

using namespace mscale;
using namespace mscale::slicing;
using namespace std::chrono_literals;

namespace {

constexpr auto host = "10.9.9.9", other_host = "fd00::9";

/// Check runs each test in a process of its own, which gets a network of its own here; false where that isn't allowed.
bool enter_own_network()
{
    const int wanted = geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWNET | CLONE_NEWUSER;
    if (unshare(wanted) == 0) return true;
    std::fprintf(stderr, "not run: no network namespace is allowed here\n");
    return false;
}

/// The errno of a connection to the host.
int try_host()
{
    const Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(9);
    inet_pton(AF_INET, host, &address.sin_addr);
    return connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

contract::LedgerRecord make_record(contract::Stage stage)
{
    contract::LedgerRecord record;
    record.job_id = 7;
    record.started = 100;
    record.stage = stage;
    return record;
}

} // namespace

START_TEST(a_dead_route_makes_one_host_unreachable_and_goes_again)
{
    if (!enter_own_network()) return;
    ck_assert_int_eq(try_host(), ENETUNREACH);
    ck_assert(add_dead_route(host).has_value());
    ck_assert(add_dead_route(host).has_value()); // twice is fine
    ck_assert_int_eq(try_host(), EHOSTUNREACH);
    ck_assert(*list_dead_routes() == std::vector<std::string>{host});
    ck_assert(remove_dead_route(host).has_value());
    ck_assert(remove_dead_route(host).has_value());
    ck_assert(list_dead_routes()->empty());
    ck_assert_int_eq(try_host(), ENETUNREACH);
}
END_TEST

START_TEST(what_is_no_address_gets_no_route)
{
    for (const char* text : {"", "n1", "10.9.9", "10.9.9.9/24"}) ck_assert(!add_dead_route(text));
}
END_TEST

START_TEST(a_route_of_somebody_else_to_the_host_is_left_alone)
{
    if (!enter_own_network()) return;
    if (std::system("ip route add prohibit 10.9.9.9 2>/dev/null") != 0) return;
    ck_assert(!add_dead_route(host));
    ck_assert(remove_dead_route(host).has_value());
    ck_assert(list_dead_routes()->empty());
    ck_assert_int_eq(std::system("ip route show type prohibit | grep -q 10.9.9.9"), 0);
}
END_TEST

START_TEST(a_leased_route_goes_with_the_job)
{
    if (!enter_own_network()) return;
    const Scratch state;
    contract::Site site;
    site.state = state.path();
    const auto ledger = Ledger::open(state.path("/jobs"), 7, 60s);
    const auto record = make_record(contract::Stage::applied);
    ck_assert(ledger->write(record).has_value());
    ck_assert(lease_dead_route(*ledger, run_of(record), host).has_value());
    ck_assert(lease_dead_route(*ledger, run_of(record), host).has_value());
    ck_assert(ledger->read()->acts == std::vector<contract::Act>({{"route", 0, 0, 0, host}}));
    ck_assert_int_eq(try_host(), EHOSTUNREACH);
    ck_assert(find_stray_routes(site.state).empty());
    ck_assert(release(*ledger, site).has_value());
    ck_assert(list_dead_routes()->empty());
}
END_TEST

START_TEST(a_job_that_leaves_leases_no_route)
{
    const Scratch state;
    const auto ledger = Ledger::open(state.path("/jobs"), 7, 60s);
    const auto record = make_record(contract::Stage::applied);
    const auto lease = [&](const contract::Run& run) { return lease_dead_route(*ledger, run, host).error().code; };
    ck_assert(lease(run_of(record)) == Code::no_such_job);
    ck_assert(ledger->write(make_record(contract::Stage::releasing)).has_value());
    ck_assert(lease(run_of(record)) == Code::no_such_job);
    ck_assert(ledger->write(record).has_value());
    ck_assert(lease({1, 200}) == Code::no_such_job); // of another run
}
END_TEST

START_TEST(a_route_that_no_ledger_has_is_a_stray)
{
    if (!enter_own_network()) return;
    const Scratch state;
    const auto ledger = Ledger::open(state.path("/jobs"), 7, 60s);
    const auto record = make_record(contract::Stage::applied);
    ck_assert(ledger->write(record).has_value());
    ck_assert(lease_dead_route(*ledger, run_of(record), host).has_value());
    if (!add_dead_route(other_host)) return; // no IPv6 here
    ck_assert(find_stray_routes(state.path()) == std::vector<std::string>{other_host});
    ck_assert(ledger->remove().has_value());
    ck_assert_uint_eq(find_stray_routes(state.path()).size(), 2);
}
END_TEST

Suite* routes_suite()
{
    return make_suite("routes", a_dead_route_makes_one_host_unreachable_and_goes_again,
                      what_is_no_address_gets_no_route, a_route_of_somebody_else_to_the_host_is_left_alone,
                      a_leased_route_goes_with_the_job, a_job_that_leaves_leases_no_route,
                      a_route_that_no_ledger_has_is_a_stray);
}
