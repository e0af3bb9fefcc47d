#include "cli/recovery_time.hpp"

#include "tests/unit/check.hpp"
#include "tests/unit/cli/suites.hpp"

using namespace mscale;
using namespace mscale::cli;
using namespace std::chrono_literals;

START_TEST(a_batch_host_costs_the_wait_of_its_stepds_unless_it_is_ended)
{
    contract::Site site;
    const auto waited = expect_recovery(site, {});
    ck_assert(waited.down < 1s && waited.step < waited.requeue && waited.batch_host > 15s);
    for (const auto end_wait : {contract::EndWait::tasks, contract::EndWait::route}) {
        site.end_wait = end_wait;
        const auto ended = expect_recovery(site, {});
        ck_assert(ended.batch_host < (end_wait == contract::EndWait::tasks ? 8s : 10s));
        ck_assert(ended.requeue == waited.requeue);
    }
}
END_TEST

START_TEST(where_mscaled_sets_nothing_down_slurmctld_notices_a_death_and_no_wait_is_ended)
{
    contract::Site site;
    site.set_down = contract::SetDown::no;
    site.end_wait = contract::EndWait::tasks;
    const auto time = expect_recovery(site, {});
    ck_assert(time.down == 300s && time.step > 300s && time.batch_host > 315s);
    ck_assert(describe_recovery(site, {}).find("DOWN after 300.0 s (SlurmdTimeout, since set_down = no)") == 0);
}
END_TEST

START_TEST(the_settings_that_a_time_comes_from_are_named)
{
    contract::Site site;
    site.end_wait = contract::EndWait::route;
    const std::string text = describe_recovery(site, {});
    ck_assert(text.find("ft.detect = 600 ms") != std::string::npos && text.find("end_wait = route") != std::string::npos);
}
END_TEST

START_TEST(the_schedulers_own_pause_counts_where_a_job_is_requeued)
{
    const contract::Site site;
    const auto usual = expect_recovery(site, {}), quick = expect_recovery(site, {300s, 0s});
    ck_assert(usual.requeue - quick.requeue == 3s && usual.batch_host - quick.batch_host == 3s && usual.step == quick.step);
    ck_assert(describe_recovery(site, {300s, 0s}).find("batch_sched_delay=0") != std::string::npos);
}
END_TEST

Suite* recovery_time_suite()
{
    Suite* suite = suite_create("recovery_time");
    TCase* tests = tcase_create("recovery_time");
    tcase_add_test(tests, a_batch_host_costs_the_wait_of_its_stepds_unless_it_is_ended);
    tcase_add_test(tests, where_mscaled_sets_nothing_down_slurmctld_notices_a_death_and_no_wait_is_ended);
    tcase_add_test(tests, the_settings_that_a_time_comes_from_are_named);
    tcase_add_test(tests, the_schedulers_own_pause_counts_where_a_job_is_requeued);
    suite_add_tcase(suite, tests);
    return suite;
}
