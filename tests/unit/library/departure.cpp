#include "library/departure.hpp"

#include "tests/unit/library/suites.hpp"

using namespace mscale::library;
using namespace std::chrono_literals;

namespace {

const Departure::Clock::time_point noticed = Departure::Clock::time_point{} + 1h;

START_TEST(nothing_is_held_up_before_the_notice_and_after_the_last_step_is_known)
{
    Departure departure;
    ck_assert(!departure.holds(7, noticed));
    departure.begin();
    ck_assert(departure.holds(7, noticed));
    departure.end();
    ck_assert(!departure.holds(7, noticed));
    departure.begin(); // a late word changes nothing
    ck_assert(!departure.holds(7, noticed));
}
END_TEST

START_TEST(a_rank_announces_the_step_that_it_has_done_once)
{
    Departure departure;
    departure.begin();
    ck_assert(departure.announce(7, noticed) == 7u);
    ck_assert(!departure.announce(7, noticed + 10ms));
    departure.allow(7);
    ck_assert(departure.holds(7, noticed + 20ms));
}
END_TEST

START_TEST(a_rank_that_waited_in_vain_does_another_step_when_the_keepers_know_of_it)
{
    Departure departure;
    departure.begin();
    departure.announce(7, noticed);
    departure.allow(7);
    ck_assert(departure.announce(7, noticed + 300ms) == 8u);
    ck_assert(departure.holds(7, noticed + 300ms));
    departure.allow(8);
    ck_assert(!departure.holds(7, noticed + 310ms) && departure.holds(8, noticed + 320ms));
    ck_assert(!departure.announce(8, noticed + 320ms) && departure.announce(8, noticed + 600ms) == 10u);
}
END_TEST

START_TEST(a_rank_that_nobody_answers_goes_on_and_tries_again_later)
{
    Departure departure;
    departure.begin();
    departure.announce(7, noticed);
    ck_assert(departure.announce(7, noticed + 300ms) == 8u);
    ck_assert(!departure.announce(7, noticed + 3200ms) && departure.holds(7, noticed + 3200ms));
    ck_assert(!departure.announce(7, noticed + 3300ms) && !departure.holds(7, noticed + 3300ms));
    ck_assert(!departure.holds(900, noticed + 8200ms) && departure.holds(900, noticed + 8300ms));
    ck_assert(departure.announce(900, noticed + 8300ms) == 900u);
}
END_TEST

START_TEST(a_rank_whose_keeper_began_anew_announces_at_once_what_it_has_done)
{
    Departure departure;
    departure.begin();
    departure.announce(7, noticed);
    departure.announce(7, noticed + 300ms);
    departure.announce(7, noticed + 3300ms); // nobody answers: it goes on
    departure.announce_again();
    ck_assert(departure.holds(40, noticed + 3400ms) && departure.announce(40, noticed + 3400ms) == 40u);
}
END_TEST

} // namespace

Suite* departure_suite()
{
    return make_suite("departure", nothing_is_held_up_before_the_notice_and_after_the_last_step_is_known,
                      a_rank_announces_the_step_that_it_has_done_once,
                      a_rank_that_waited_in_vain_does_another_step_when_the_keepers_know_of_it,
                      a_rank_that_nobody_answers_goes_on_and_tries_again_later,
                      a_rank_whose_keeper_began_anew_announces_at_once_what_it_has_done);
}
