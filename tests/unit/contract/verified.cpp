#include "contract/verified.hpp"

#include "tests/unit/contract/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

START_TEST(a_payload_reads_back)
{
    const Verified verified{1000, Mode::observe, "role.loader.cores=2", 4};
    ck_assert(verified_from_payload(to_payload(verified)).value() == verified);
    Verified noticed = verified;
    noticed.notice = {120, 30};
    ck_assert(verified_from_payload(to_payload(noticed)).value() == noticed);
}
END_TEST

START_TEST(a_payload_of_another_kind_or_version_is_not_believed)
{
    for (const char* payload : {"", "role.loader.cores=2", "{}", "[1]", "{\"mscale_verified\":1}",
                                R"({"mscale_verified":2,"uid":0,"mode":"enforce","tasks":1,"contract":"x"})",
                                R"({"mscale_verified":1,"uid":-1,"mode":"enforce","tasks":1,"contract":"x"})",
                                R"({"mscale_verified":1,"uid":0,"mode":"maybe","tasks":1,"contract":"x"})"}) {
        const auto verified = verified_from_payload(payload);
        ck_assert_msg(!verified && verified.error().code == Code::credential, "%s", payload);
    }
}
END_TEST

START_TEST(the_shortest_notice_is_that_of_the_time_limit_or_of_a_preemption)
{
    using std::chrono::seconds;
    const auto is = [](const LeastNotice& notice, int time, std::string_view of) {
        return notice.time == seconds(time) && notice.of == of;
    };
    ck_assert(is(find_least_notice({}, seconds(30)), 30, "KillWait"));
    ck_assert(is(find_least_notice({120, {}}, seconds(30)), 120, "signal"));
    ck_assert(is(find_least_notice({120, 45}, seconds(30)), 75, "GraceTime"));
    ck_assert(is(find_least_notice({{}, 45}, seconds(30)), 30, "KillWait"));
    ck_assert(is(find_least_notice({10, 0}, seconds(30)), 10, "signal"));
}
END_TEST

Suite* verified_suite()
{
    return make_suite("verified", the_shortest_notice_is_that_of_the_time_limit_or_of_a_preemption, a_payload_reads_back, a_payload_of_another_kind_or_version_is_not_believed);
}
