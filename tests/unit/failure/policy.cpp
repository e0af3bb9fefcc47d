#include "daemon/failure/policy.hpp"

#include <cstdlib>
#include <ctime>

#include "base/json.hpp"
#include "daemon/failure/job_view.hpp"
#include "tests/unit/failure/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;
using contract::SetDown;

namespace {

contract::Site site_with(SetDown set_down)
{
    contract::Site site;
    site.set_down = set_down;
    return site;
}

/// A node that nobody else uses, with the controller's word.
const DownFacts plain{{}, 0, true};

} // namespace

START_TEST(by_default_a_node_is_set_down_when_no_other_job_holds_it)
{
    const contract::Site site;
    ck_assert(!find_objection(site, plain));
    const auto objection = find_objection(site, {{13, 14}, 0, true});
    ck_assert(objection.has_value());
    expect_text(*objection, "job 13 holds it, too (set_down = own)");
}
END_TEST

START_TEST(yes_takes_no_regard_of_other_jobs_and_no_takes_none_of_anything)
{
    ck_assert(!find_objection(site_with(SetDown::yes), {{13}, 0, true}));
    ck_assert(find_objection(site_with(SetDown::no), plain) == "set_down = no");
}
END_TEST

START_TEST(without_the_controllers_word_nothing_is_done_unless_the_site_says_so)
{
    contract::Site site = site_with(SetDown::yes);
    ck_assert(find_objection(site, {{}, 0, false}).has_value());
    site.require_controller = false;
    ck_assert(!find_objection(site, {{}, 0, false}));
}
END_TEST

START_TEST(the_number_of_an_hour_is_never_passed)
{
    contract::Site site = site_with(SetDown::yes);
    ck_assert(!find_objection(site, {{}, 1, true}));
    const auto objection = find_objection(site, {{}, 2, true});
    ck_assert(objection.has_value());
    expect_text(*objection, "2 nodes were set DOWN within the last hour (max_down_per_hour = 2)");
    site.max_down_per_hour = 0;
    ck_assert(find_objection(site, plain).has_value());
}
END_TEST

START_TEST(the_reason_names_the_job_the_witnesses_and_the_time)
{
    setenv("TZ", "UTC", 1);
    tzset();
    const auto noon = std::chrono::milliseconds(12h + 1s + 999ms);
    expect_text(make_down_reason(12, {"n1", "n3", "ctl"}, noon),
                "mscale: job 12: n1, n3 and ctl heard nothing since 12:00:01");
    expect_text(make_down_reason(7, {"n1", "ctl"}, noon),
                "mscale: job 7: n1 and ctl heard nothing since 12:00:01");
}
END_TEST

START_TEST(only_reasons_of_this_kind_are_counted)
{
    ck_assert(is_down_reason(make_down_reason(12, {"n1", "ctl"}, 0ms)));
    ck_assert(is_down_reason(make_down_reason(12, {"n1", "ctl"}, 0ms) + " [root@2026-11-30T00:00:00]"));
    ck_assert(!is_down_reason("mscale: /usr/sbin/mscale-node is missing"));
    ck_assert(!is_down_reason("maintenance") && !is_down_reason(""));
}
END_TEST

START_TEST(a_death_is_told_whole)
{
    const DeadNode dead{"n2", 1ms, 2ms, std::nullopt, "mscale: job 12: ..."};
    ck_assert(dead_from_json(to_json(dead), "a death") == dead);
    ck_assert(to_json(dead).at("down").is_null());
    DeadNode down = dead;
    down.down = 3ms;
    down.by_mscale = true;
    ck_assert(dead_from_json(to_json(down), "a death") == down);
    for (const char* member : {"node", "last_heard", "agreed", "down", "reason", "by_mscale"}) {
        Json torn = to_json(down);
        torn.erase(member);
        ck_assert(!dead_from_json(torn, "a death"));
    }
}
END_TEST

Suite* policy_suite()
{
    return make_suite("policy", by_default_a_node_is_set_down_when_no_other_job_holds_it,
                      yes_takes_no_regard_of_other_jobs_and_no_takes_none_of_anything,
                      without_the_controllers_word_nothing_is_done_unless_the_site_says_so,
                      the_number_of_an_hour_is_never_passed,
                      the_reason_names_the_job_the_witnesses_and_the_time,
                      only_reasons_of_this_kind_are_counted, a_death_is_told_whole);
}
