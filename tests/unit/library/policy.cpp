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

START_TEST(ranks_that_found_no_room_at_different_steps_meet_at_a_longer_interval)
{
    Policy one(10, {}, 2, start), other(10, {}, 2, start);
    one.note_busy(10);
    for (const std::uint64_t step : {20U, 40U}) other.note_busy(step);
    ck_assert(!one.need_save(30, start) && one.need_save(40, start));
    ck_assert(!other.need_save(60, start) && other.need_save(80, start) && one.need_save(80, start));
}
END_TEST

START_TEST(a_shorter_interval_is_tried_again_after_many_saves)
{
    Policy policy(10, {}, 2, start);
    policy.note_busy(10);
    std::uint64_t saves = 0, step = 10;
    while (!policy.need_save(step += 10, start) || step % 20 == 0) {
        if (!policy.need_save(step, start)) continue;
        policy.note_save(step, start);
        ++saves;
    }
    ck_assert_uint_eq(saves, 64);
}
END_TEST

START_TEST(the_interval_that_one_pause_has_doubled_is_halved_at_each_save_whose_commit_is_quick_again)
{
    Policy policy(10, {}, 2, start);
    for (const std::uint64_t step : {10U, 20U, 40U}) policy.note_busy(step);
    policy.note_save(80, start + 8s);
    policy.note_commit(100ms);
    policy.note_save(160, start + 16s);
    ck_assert(policy.need_save(200, start + 20s) && !policy.need_save(180, start + 18s));
    policy.note_commit(100ms);
    policy.note_save(200, start + 20s);
    ck_assert(policy.need_save(220, start + 22s) && !policy.need_save(210, start + 21s));
    policy.note_commit(100ms);
    policy.note_save(220, start + 22s);
    ck_assert(policy.need_save(230, start + 23s));
}
END_TEST

START_TEST(an_interval_at_which_copies_would_come_too_late_stays_doubled)
{
    Policy policy(10, {}, 2, start);
    policy.note_busy(10);
    policy.note_save(20, start + 2s);
    policy.note_commit(600ms);
    policy.note_save(40, start + 4s);
    ck_assert(!policy.need_save(50, start + 5s) && policy.need_save(60, start + 6s));
    policy.note_save(60, start + 6s);
    policy.note_save(80, start + 8s); // the save of 60 was never seen as committed
    ck_assert(!policy.need_save(90, start + 9s));
}
END_TEST

START_TEST(a_save_that_the_program_began_between_its_steps_doubles_nothing)
{
    Policy policy(10, {}, 2, start);
    policy.note_busy(15);
    ck_assert(policy.need_save(20, start) && policy.need_save(30, start));
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
    return make_suite("policy", every_nth_step_is_saved_once,
                      ranks_that_found_no_room_at_different_steps_meet_at_a_longer_interval,
                      a_shorter_interval_is_tried_again_after_many_saves,
                      the_interval_that_one_pause_has_doubled_is_halved_at_each_save_whose_commit_is_quick_again,
                      an_interval_at_which_copies_would_come_too_late_stays_doubled,
                      a_save_that_the_program_began_between_its_steps_doubles_nothing, a_rank_that_is_alone_saves_by_its_own_clock,
                      ranks_of_a_group_save_by_time_only_at_the_step_that_the_keepers_name,
                      the_end_of_the_job_asks_for_a_last_save_and_then_for_leaving);
}
