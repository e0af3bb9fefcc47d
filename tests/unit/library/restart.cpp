#include "base/text.hpp"
#include "library/client.hpp"
#include "tests/unit/library/keeper_double.hpp"
#include "tests/unit/library/suites.hpp"

using namespace mscale;
using namespace mscale::library;

namespace {

/// A program that saves `steps`, the value being the step, each committed, and ends without a word.
void run_and_die(KeeperDouble& keeper, std::initializer_list<std::uint64_t> steps)
{
    Client client = join_well(keeper);
    for (const std::uint64_t step : steps) {
        ck_assert(save(client, step, static_cast<int>(step)).has_value());
        ck_assert(keeper.expect("committed")["step"] == step);
    }
}

START_TEST(a_new_run_goes_on_from_the_committed_step_and_never_overwrites_it_first)
{
    KeeperDouble keeper;
    run_and_die(keeper, {10, 20});
    Client client = join_well(keeper);
    ck_assert(client.find_restart() == 20u && client.find_committed() == 20u);
    ck_assert(client.start_save(21).error().code == Code::save_order);
    ck_assert(read_back(client) == 20 && client.complete_restart(true).has_value());
    ck_assert(!client.find_restart());
    ck_assert(client.start_save(20).error().code == Code::save_order);
    ck_assert(client.start_save(21).has_value()); // and the program dies in it
    Client third = join_well(keeper);
    ck_assert(third.find_restart() == 20u && read_back(third) == 20);
}
END_TEST

START_TEST(a_save_that_was_sealed_and_not_committed_is_not_gone_on_from)
{
    KeeperDouble keeper;
    run_and_die(keeper, {10});
    keeper.command("hold");
    {
        Client client = join_well(keeper);
        ck_assert(read_back(client) == 10 && client.complete_restart(true).has_value());
        ck_assert(save(client, 20, 20).has_value());
        keeper.expect("sealed");
    }
    Client client = join_well(keeper);
    ck_assert(client.find_restart() == 10u && read_back(client) == 10);
}
END_TEST

START_TEST(a_damaged_snapshot_is_not_used_and_the_older_one_is)
{
    KeeperDouble keeper;
    run_and_die(keeper, {10, 20});
    Client client = join_well(keeper);
    keeper.command("flip 0 1 17");
    ck_assert(client.find_restart() == 20u);
    ck_assert(client.start_restart().error().code == Code::snapshot_damaged);
    ck_assert(client.complete_restart(false).has_value() && client.find_restart() == 10u);
    ck_assert(read_back(client) == 10 && client.complete_restart(true).has_value());
    ck_assert(save(client, 11, 11).has_value());
    ck_assert(keeper.expect("committed")["step"] == 11);
}
END_TEST

START_TEST(with_no_usable_snapshot_left_the_program_is_refused_a_start_from_nothing)
{
    KeeperDouble keeper;
    run_and_die(keeper, {10, 20});
    Client client = join_well(keeper);
    ck_assert(client.complete_restart(false).has_value());
    ck_assert(client.complete_restart(false).error().code == Code::no_snapshot);
    ck_assert(!client.find_restart() && client.refused()->code == Code::no_snapshot);
    ck_assert(client.start_save(1).error().code == Code::no_snapshot);
    ck_assert(join(keeper).error().code == Code::no_snapshot);
}
END_TEST

START_TEST(a_keeper_that_dies_while_a_snapshot_is_rejected_ends_the_start)
{
    KeeperDouble keeper;
    run_and_die(keeper, {10});
    Client client = join_well(keeper);
    keeper.command("drop");
    ck_assert(client.complete_restart(false).error().code == Code::keeper_lost);
    ck_assert(!client.find_restart() && client.refused());
}
END_TEST

START_TEST(a_keeper_that_begins_anew_while_a_snapshot_is_taken_is_asked_again)
{
    KeeperDouble keeper("--ops restored");
    run_and_die(keeper, {10, 20});
    Client client = join_well(keeper);
    ck_assert(read_back(client) == 20);
    keeper.command("drop");
    keeper.command("listen");
    ck_assert(client.complete_restart(true).has_value() && !client.refused());
    ck_assert(save(client, 21, 21).has_value());
    ck_assert(keeper.expect("committed")["step"] == 21);
}
END_TEST

START_TEST(where_the_keepers_can_all_ranks_agree_on_the_snapshot_before_one_goes_on)
{
    KeeperDouble keeper("--ranks 2 --ops restored");
    {
        Client one = join_well(keeper, {0, 2}), other = join_well(keeper, {1, 2});
        for (const std::uint64_t step : {10U, 20U}) {
            ck_assert(save(one, step, static_cast<int>(step)).has_value());
            ck_assert(save(other, step, static_cast<int>(step)).has_value());
            ck_assert(keeper.expect("committed")["step"] == step);
        }
    }
    Client one = join_well(keeper, {0, 2}), other = join_well(keeper, {1, 2});
    ck_assert(read_back(one) == 20 && read_back(other) == 20);
    ck_assert(other.complete_restart(false).has_value() && other.find_restart() == 10u);
    ck_assert(one.complete_restart(true).error().code == Code::save_busy && one.find_restart() == 10u);
    ck_assert(read_back(one) == 10 && read_back(other) == 10);
}
END_TEST

} // namespace

Suite* restart_suite()
{
    return make_suite("restart", a_new_run_goes_on_from_the_committed_step_and_never_overwrites_it_first,
                      a_save_that_was_sealed_and_not_committed_is_not_gone_on_from,
                      a_damaged_snapshot_is_not_used_and_the_older_one_is,
                      with_no_usable_snapshot_left_the_program_is_refused_a_start_from_nothing,
                      a_keeper_that_dies_while_a_snapshot_is_rejected_ends_the_start,
                      a_keeper_that_begins_anew_while_a_snapshot_is_taken_is_asked_again,
                      where_the_keepers_can_all_ranks_agree_on_the_snapshot_before_one_goes_on);
}
