// How a rank leaves when its job is to end: against the double of the keeper, which plays the other ranks.
#include <csignal>
#include <future>

#include "library/client.hpp"
#include "library/notice.hpp"
#include "tests/unit/library/keeper_double.hpp"
#include "tests/unit/library/suites.hpp"

using namespace mscale;
using namespace mscale::library;
using namespace std::chrono_literals;

namespace {

/// A call that waits, until what it waits for has happened.
template <class Call> std::future<void> begin(Call call)
{
    return std::async(std::launch::async, call);
}

bool is_over(const std::future<void>& call, std::chrono::milliseconds within = 5s)
{
    return call.wait_for(within) == std::future_status::ready;
}

/// What the rank says next of this kind.
Json expect_told(KeeperDouble& keeper, const std::string& op)
{
    for (;;)
        if (Json told = keeper.expect("told")["told"]; told["op"] == op) return told;
}

START_TEST(a_rank_waits_after_its_step_until_the_last_step_of_all_is_known)
{
    KeeperDouble keeper("--ranks 2 --ops at");
    Client client = join_well(keeper, {0, 2});
    client.progress(7);
    keeper.command("ending");
    const auto waiting = begin([&] { client.progress(8); });
    ck_assert(expect_told(keeper, "at")["step"] == 8);
    ck_assert(!is_over(waiting, 50ms));
    keeper.command("exit 9");
    ck_assert(is_over(waiting) && !client.should_exit() && !client.need_save(8));
    client.progress(9);
    ck_assert(client.should_exit() && client.need_save(9));
}
END_TEST

START_TEST(a_rank_that_waits_in_vain_announces_the_next_step_and_does_it)
{
    KeeperDouble keeper("--ranks 2 --ops at");
    Client client = join_well(keeper, {0, 2});
    keeper.command("ending");
    const auto waiting = begin([&] { client.progress(8); });
    ck_assert(expect_told(keeper, "at")["step"] == 8);
    keeper.command("at 8");
    ck_assert(expect_told(keeper, "at")["step"] == 9);
    ck_assert(!is_over(waiting, 50ms));
    keeper.command("at 9");
    ck_assert(is_over(waiting) && !client.should_exit());
}
END_TEST

START_TEST(a_rank_that_has_passed_the_step_leaves_at_no_other)
{
    KeeperDouble keeper("--ranks 2");
    Client client = join_well(keeper, {0, 2});
    client.progress(10);
    keeper.command("exit 9");
    client.progress(11);
    ck_assert(!client.should_exit() && !client.need_save(11));
}
END_TEST

START_TEST(a_signal_to_the_program_is_told_to_all)
{
    catch_notices();
    ::raise(SIGUSR1);
    KeeperDouble keeper("--ranks 2 --ops at");
    Client client = join_well(keeper, {0, 2});
    const auto waiting = begin([&] { client.progress(8); });
    ck_assert(expect_told(keeper, "end")["signal"] == SIGUSR1);
    ck_assert(expect_told(keeper, "at")["step"] == 8);
    keeper.command("exit 8");
    ck_assert(is_over(waiting) && client.should_exit());
    release_notices();
}
END_TEST

START_TEST(an_older_keeper_that_knows_nothing_of_it_holds_up_nobody)
{
    ::signal(SIGTERM, SIG_DFL); // Check has a handler of its own
    catch_notices();
    ::raise(SIGTERM);
    KeeperDouble keeper("--ranks 2");
    Client client = join_well(keeper, {0, 2});
    const auto call = begin([&] { client.progress(8); });
    ck_assert(is_over(call, 200ms) && !client.should_exit());
    release_notices();
}
END_TEST

START_TEST(a_program_that_was_told_to_end_leaves_when_its_last_save_is_committed)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    keeper.command("hold");
    keeper.command("exit 3");
    client.progress(3);
    ck_assert(save(client, 3, 1).has_value());
    const auto leaving = begin([&] { client.leave(); });
    ck_assert(!is_over(leaving, 100ms));
    keeper.command("commit");
    ck_assert(is_over(leaving));
    ck_assert(expect_told(keeper, "progress")["step"] == 3);
}
END_TEST

START_TEST(a_program_that_ends_by_itself_waits_for_nothing)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    keeper.command("hold");
    client.progress(3);
    ck_assert(save(client, 3, 1).has_value());
    const auto leaving = begin([&] { client.leave(); });
    ck_assert(is_over(leaving, 1s));
}
END_TEST

START_TEST(the_last_save_waits_for_room)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    keeper.command("hold");
    for (const std::uint64_t step : {1U, 2U}) ck_assert(save(client, step, 1).has_value());
    keeper.command("exit 3");
    client.progress(3);
    const auto saving = begin([&] { ck_assert(save(client, 3, 3).has_value()); });
    keeper.command("commit");
    ck_assert(is_over(saving) && keeper.expect("sealed")["step"] == 1);
}
END_TEST

} // namespace

Suite* leaving_suite()
{
    return make_suite("leaving", a_rank_waits_after_its_step_until_the_last_step_of_all_is_known,
                      a_rank_that_waits_in_vain_announces_the_next_step_and_does_it,
                      a_rank_that_has_passed_the_step_leaves_at_no_other, a_signal_to_the_program_is_told_to_all,
                      an_older_keeper_that_knows_nothing_of_it_holds_up_nobody,
                      a_program_that_was_told_to_end_leaves_when_its_last_save_is_committed,
                      a_program_that_ends_by_itself_waits_for_nothing, the_last_save_waits_for_room);
}
