#include "cli/port_probe.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/handle.hpp"
#include "tests/unit/check.hpp"
#include "tests/unit/cli/suites.hpp"

using namespace mscale;

namespace {

/// A socket on a free port of 127.0.0.1, listening or only holding the port.
class Port {
public:
    explicit Port(bool is_open) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* any = reinterpret_cast<sockaddr*>(&address);
        ck_assert_int_eq(::bind(socket_.number(), any, size), 0);
        if (is_open) ck_assert_int_eq(::listen(socket_.number(), 8), 0);
        ck_assert_int_eq(::getsockname(socket_.number(), any, &size), 0);
        number = ntohs(address.sin_port);
    }
    unsigned number = 0;

private:
    Fd socket_;
};

constexpr std::chrono::seconds deadline{5};

} // namespace

START_TEST(a_host_that_listens_is_not_silent)
{
    const Port open(true);
    ck_assert(cli::find_silent_hosts({"127.0.0.1", "127.0.0.1"}, open.number, deadline).empty());
}
END_TEST

START_TEST(a_closed_port_and_a_name_without_address_are_silent)
{
    const Port closed(false);
    const std::vector<std::string> hosts = {"127.0.0.1", "no-such-host.invalid"};
    ck_assert(cli::find_silent_hosts(hosts, closed.number, deadline) == hosts);
    ck_assert(cli::find_silent_hosts({}, closed.number, deadline).empty());
}
END_TEST

Suite* port_probe_suite()
{
    Suite* suite = suite_create("port_probe");
    TCase* tests = tcase_create("port_probe");
    tcase_add_test(tests, a_host_that_listens_is_not_silent);
    tcase_add_test(tests, a_closed_port_and_a_name_without_address_are_silent);
    suite_add_tcase(suite, tests);
    return suite;
}
