#include "daemon/mscaled/address_book.hpp"

#include <atomic>

#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

NodeAddress some_address()
{
    NodeAddress address;
    address.length = sizeof(sockaddr_in);
    return address;
}

} // namespace

START_TEST(a_host_is_resolved_once_for_all_who_wait_and_only_when_it_is_needed)
{
    const auto loop = std::move(*Loop::create());
    Worker worker(*loop);
    std::atomic<int> asked = 0;
    AddressBook book(worker, 6821, [&](const std::string& host, unsigned) -> Result<NodeAddress> {
        ++asked;
        if (host != "n1") return failure(Code::peer, "no such host");
        return some_address();
    });
    int found = 0;
    const auto count = [&](const Result<NodeAddress>& address) {
        if (address && ++found == 2) loop->stop();
    };
    book.locate("n1", count);
    book.locate("n1", count);
    ck_assert_int_eq(found, 0);
    ck_assert(loop->run().has_value());
    book.locate("n1", count);
    ck_assert_int_eq(found, 3);
    ck_assert_int_eq(asked, 1);
}
END_TEST

START_TEST(a_host_without_an_address_is_an_error_and_is_asked_for_again)
{
    const auto loop = std::move(*Loop::create());
    Worker worker(*loop);
    int failures = 0;
    AddressBook book(worker, 6821, [](const std::string&, unsigned) -> Result<NodeAddress> {
        return failure(Code::peer, "no such host");
    });
    const auto again = [&](const Result<NodeAddress>& address) {
        ck_assert(!address);
        if (++failures == 2) loop->stop();
    };
    book.locate("n9", [&](const Result<NodeAddress>& address) {
        again(address);
        book.locate("n9", again);
    });
    ck_assert(loop->run().has_value());
    ck_assert_int_eq(failures, 2);
}
END_TEST

START_TEST(a_host_resolves_to_an_address_with_the_port)
{
    const auto address = resolve_host("127.0.0.1", 6821);
    ck_assert(address && address->address.ss_family == AF_INET);
    ck_assert_uint_eq(ntohs(reinterpret_cast<const sockaddr_in&>(address->address).sin_port), 6821);
}
END_TEST

Suite* address_book_suite()
{
    return make_suite("address_book", a_host_is_resolved_once_for_all_who_wait_and_only_when_it_is_needed,
                      a_host_without_an_address_is_an_error_and_is_asked_for_again,
                      a_host_resolves_to_an_address_with_the_port);
}
