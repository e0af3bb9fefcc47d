#include "library/policy.hpp"

#include "tests/unit/library/suites.hpp"

using namespace mscale::library;
using namespace std::chrono_literals;

namespace {

const Policy::Clock::time_point start{};

START_TEST(every_nth_step_is_saved_once)
{
    Policy policy(10, {}, 4, start);
    ck_assert(!policy.need_save(0, start) && !policy.need_save(9, start));
    ck_assert(policy.need_save(10, start));
    policy.note_save(10, start);
    ck_assert(!policy.need_save(10, start) && policy.need_save(20, start));
}
END_TEST

START_TEST(a_rank_that_is_alone_saves_by_its_own_clock)
{
    Policy policy({}, 5s, 1, start);
    ck_assert(!policy.need_save(7, start + 4s) && policy.need_save(8, start + 5s));
    policy.note_save(8, start + 5s);
    ck_assert(!policy.need_save(9, start + 9s) && policy.need_save(10, start + 10s));
}
END_TEST

START_TEST(ranks_of_a_group_save_by_time_only_at_the_step_that_the_keepers_name)
{
    Policy policy({}, 5s, 2, start);
    ck_assert(!policy.need_save(8, start + 1h));
    policy.ask_save(12);
    ck_assert(!policy.need_save(11, start) && policy.need_save(12, start));
    policy.note_save(12, start);
    ck_assert(!policy.need_save(13, start));
}
END_TEST

START_TEST(the_end_of_the_job_asks_for_a_last_save_and_then_for_leaving)
{
    Policy policy(100, {}, 2, start);
    ck_assert(!policy.should_exit(3));
    policy.ask_exit(5);
    ck_assert(!policy.should_exit(4) && !policy.need_save(4, start));
    ck_assert(policy.should_exit(5) && policy.need_save(5, start));
    policy.note_save(5, start);
    ck_assert(policy.should_exit(5) && !policy.need_save(5, start));
}
END_TEST

} // namespace

Suite* policy_suite()
{
    return make_suite("policy", every_nth_step_is_saved_once, a_rank_that_is_alone_saves_by_its_own_clock,
                      ranks_of_a_group_save_by_time_only_at_the_step_that_the_keepers_name,
                      the_end_of_the_job_asks_for_a_last_save_and_then_for_leaving);
}
