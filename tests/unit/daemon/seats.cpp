#include "daemon/mscaled/seats.hpp"

#include <vector>

#include "daemon/mscaled/throttle.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;

START_TEST(one_source_cannot_take_the_seats_of_others)
{
    Seats seats(4, 2);
    std::vector<Seat> taken{seats.take("a"), seats.take("a")};
    ck_assert(taken[0] && taken[1] && !seats.take("a"));
    taken.push_back(seats.take("b"));
    taken.push_back(seats.take("c"));
    ck_assert(taken[2] && taken[3] && !seats.take("d"));
}
END_TEST

START_TEST(a_seat_is_free_again_when_its_last_holder_drops_it)
{
    Seats seats(1, 1);
    Seat seat = seats.take("a");
    const Seat held = seat;
    seat.reset();
    ck_assert(!seats.take("a"));
    Seat other;
    {
        Seats gone(1, 1);
        other = gone.take("a");
    }
    ck_assert(other != nullptr);
}
END_TEST

START_TEST(users_cannot_crowd_root_out)
{
    Hall hall(Seats(1, 1), Seats(1, 1));
    const Seat user = hall.take({"n1", false});
    ck_assert(user && !hall.take({"n2", false}));
    ck_assert(hall.take({"n1", true}) != nullptr);
}
END_TEST

START_TEST(one_line_an_interval_is_let_through_and_the_others_are_counted)
{
    Throttle throttle(10s);
    const Throttle::Instant beginning{};
    ck_assert(throttle.admit(beginning) == 0u);
    ck_assert(!throttle.admit(beginning + 1s) && !throttle.admit(beginning + 9s));
    ck_assert(throttle.admit(beginning + 10s) == 2u);
    ck_assert(throttle.admit(beginning + 30s) == 0u);
}
END_TEST

Suite* seats_suite()
{
    return make_suite("seats", one_source_cannot_take_the_seats_of_others,
                      a_seat_is_free_again_when_its_last_holder_drops_it, users_cannot_crowd_root_out,
                      one_line_an_interval_is_let_through_and_the_others_are_counted);
}
