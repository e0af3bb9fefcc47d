#include "recovery/last_step.hpp"

#include "tests/unit/recovery/suites.hpp"

using namespace mscale::recovery;

namespace {

START_TEST(the_last_step_is_the_greatest_that_any_rank_has_done)
{
    LastStep last({0, 1}, 3);
    last.announce(0, 41);
    last.announce(2, 43);
    ck_assert(!last.found() && last.limit_of(0) == 41 && last.limit_of(1) == 0);
    last.announce(1, 42);
    ck_assert(last.found() == 43u);
    for (const unsigned rank : {0U, 1U, 2U}) ck_assert(last.limit_of(rank) == 43);
}
END_TEST

START_TEST(a_rank_that_waits_for_another_announces_further_steps)
{
    LastStep last({0, 1}, 2);
    last.announce(0, 41);
    last.announce(0, 44);
    ck_assert(!last.found() && last.limit_of(0) == 44);
    last.announce(1, 42);
    ck_assert(last.found() == 44u);
}
END_TEST

START_TEST(what_is_announced_after_the_last_step_is_known_changes_nothing)
{
    LastStep last({0, 1}, 2);
    last.announce(0, 41);
    last.announce(1, 40);
    last.announce(1, 90);
    last.announce(7, 90);
    ck_assert(last.found() == 41u && last.limit_of(1) == 41);
}
END_TEST

START_TEST(an_announcement_never_falls)
{
    LastStep last({0, 1}, 2);
    last.announce(0, 44);
    last.announce(0, 41);
    last.announce(1, 42);
    ck_assert(last.found() == 44u);
}
END_TEST

} // namespace

Suite* last_step_suite()
{
    return make_suite("last step", the_last_step_is_the_greatest_that_any_rank_has_done,
                      a_rank_that_waits_for_another_announces_further_steps,
                      what_is_announced_after_the_last_step_is_known_changes_nothing, an_announcement_never_falls);
}
