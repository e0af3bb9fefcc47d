#include "library/client.hpp"

#include <csignal>

#include "base/text.hpp"
#include "tests/unit/library/keeper_double.hpp"
#include "tests/unit/library/suites.hpp"

using namespace mscale;
using namespace mscale::library;

namespace {

void expect_code(const Result<void>& result, Code code)
{
    ck_assert_msg(!result && result.error().code == code, "%s",
                  result ? "it succeeded" : to_line(result.error()).c_str());
}

void expect_committed(KeeperDouble& keeper, Client& client, std::uint64_t step)
{
    while (keeper.expect("committed")["step"] != step) {}
    wait_until([&] { return client.find_committed() == step; }, "the word of the commit");
}

START_TEST(a_save_is_committed_and_the_keeper_finds_it_whole)
{
    KeeperDouble keeper("--every 10");
    Client client = join_well(keeper);
    ck_assert(!client.find_committed() && !client.find_restart());
    ck_assert(!client.need_save(9) && client.need_save(10));
    ck_assert(save(client, 10, 1).has_value());
    const Json sealed = keeper.expect("sealed");
    ck_assert(sealed["step"] == 10 && sealed["whole"] == true);
    expect_committed(keeper, client, 10);
}
END_TEST

START_TEST(epochs_follow_the_steps_so_that_a_rank_which_left_a_save_out_stays_in_line)
{
    KeeperDouble keeper("--ranks 2");
    Client one = join_well(keeper, {0, 2}), other = join_well(keeper, {1, 2});
    ck_assert(save(one, 10, 1).has_value());
    ck_assert(save(one, 20, 1).has_value() && save(other, 20, 2).has_value());
    expect_committed(keeper, one, 20);
    ck_assert(save(one, 30, 1).has_value() && save(other, 30, 2).has_value());
    expect_committed(keeper, other, 30);
}
END_TEST

START_TEST(the_committed_slot_is_never_touched_and_one_that_is_being_copied_is_busy)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    ck_assert(save(client, 1, 1).has_value());
    expect_committed(keeper, client, 1);
    keeper.command("hold");
    ck_assert(save(client, 2, 2).has_value());
    expect_code(save(client, 3, 3), Code::save_busy);
    keeper.command("commit");
    expect_committed(keeper, client, 2);
    ck_assert(save(client, 4, 4).has_value());
    expect_committed(keeper, client, 4);
}
END_TEST

START_TEST(a_keeper_that_forgot_the_last_commit_changes_nothing_of_it)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    for (const std::uint64_t step : {1U, 2U}) {
        ck_assert(save(client, step, 1).has_value());
        expect_committed(keeper, client, step);
    }
    keeper.command("word 0");
    ck_assert(client.find_committed() == 2u);
    ck_assert(save(client, 3, 3).has_value());
    expect_committed(keeper, client, 3);
}
END_TEST

START_TEST(a_save_that_another_rank_left_out_frees_its_slot)
{
    KeeperDouble keeper("--ranks 2");
    Client one = join_well(keeper, {0, 2}), other = join_well(keeper, {1, 2});
    ck_assert(save(one, 10, 1).has_value() && save(other, 10, 2).has_value());
    expect_committed(keeper, one, 10);
    ck_assert(save(one, 20, 1).has_value());
    expect_code(save(one, 30, 1), Code::save_busy);
    const Json told = keeper.expect("told")["told"];
    ck_assert(told["op"] == "skipped" && told["step"] == 30);
    ck_assert(told["held"].size() == 1 && told["held"][0] < told["epoch"]);
    ck_assert(save(other, 40, 2).has_value());
    while (keeper.expect("sealed")["step"] != 40) {}
    wait_until([&] { return save(one, 50, 1).has_value() || save(one, 51, 1).has_value(); }, "a free slot");
}
END_TEST

START_TEST(a_save_thrown_away_is_no_snapshot_and_the_next_one_works)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    ck_assert(client.start_save(5).has_value() && client.complete_save(false).has_value());
    const Json told = keeper.expect("told")["told"];
    ck_assert(told["op"] == "skipped" && told["step"] == 5);
    ck_assert(save(client, 6, 1).has_value());
    expect_committed(keeper, client, 6);
}
END_TEST

START_TEST(without_its_keeper_the_program_saves_into_its_memory_and_is_told_so)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    ck_assert(save(client, 1, 1).has_value());
    expect_committed(keeper, client, 1);
    keeper.command("drop");
    for (const std::uint64_t step : {2U, 3U, 4U}) expect_code(save(client, step, 1), Code::keeper_lost);
    client.progress(4);
    ck_assert(client.find_committed() == 1u && !client.should_exit());
}
END_TEST

START_TEST(a_keeper_that_is_back_is_joined_again_and_told_of_the_last_save)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    ck_assert(save(client, 1, 1).has_value());
    expect_committed(keeper, client, 1);
    keeper.command("drop");
    expect_code(save(client, 2, 2), Code::keeper_lost);
    keeper.command("listen");
    wait_until([&] { return client.find_committed() == 2u; }, "the commit after the keeper is back");
    ck_assert(save(client, 3, 3).has_value());
    expect_committed(keeper, client, 3);
}
END_TEST

START_TEST(what_a_keeper_was_told_and_did_not_commit_is_told_to_the_next)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    ck_assert(save(client, 1, 1).has_value());
    expect_committed(keeper, client, 1);
    keeper.command("hold");
    ck_assert(save(client, 2, 2).has_value());
    ck_assert(keeper.expect("sealed")["step"] == 2);
    keeper.command("drop");
    keeper.command("listen");
    const auto before = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - before < std::chrono::milliseconds(300))
        ck_assert(client.find_committed() == 1u);
    ck_assert(keeper.expect("sealed")["step"] == 2);
}
END_TEST

START_TEST(both_saves_that_a_keeper_did_not_commit_are_told_to_the_next)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    keeper.command("hold");
    for (const std::uint64_t step : {1U, 2U}) ck_assert(save(client, step, 1).has_value());
    for (const std::uint64_t step : {1U, 2U}) ck_assert(keeper.expect("sealed")["step"] == step);
    keeper.command("drop");
    keeper.command("listen");
    const auto before = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - before < std::chrono::milliseconds(300)) client.progress(2);
    for (const std::uint64_t step : {1U, 2U}) ck_assert(keeper.expect("sealed")["step"] == step);
}
END_TEST

START_TEST(memory_that_is_passed_again_and_is_the_same_keeps_its_committed_slot)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    ck_assert(save(client, 1, 1).has_value());
    expect_committed(keeper, client, 1);
    keeper.command("drop");
    keeper.command("pass-again");
    keeper.command("hold");
    keeper.command("listen");
    const auto before = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - before < std::chrono::milliseconds(300))
        ck_assert(client.find_committed() == 1u);
    ck_assert(keeper.expect("joined")["joined"]["have"] == true);
    ck_assert(save(client, 2, 7).has_value());
    for (const std::uint64_t step : {3U, 4U, 5U}) expect_code(client.start_save(step), Code::save_busy);
    Client again = join_well(keeper);
    ck_assert(again.find_restart() == 1u && again.start_restart().has_value());
}
END_TEST

START_TEST(a_keeper_that_lost_the_memory_passes_another_one)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    ck_assert(save(client, 1, 1).has_value());
    expect_committed(keeper, client, 1);
    keeper.command("drop");
    keeper.command("forget");
    keeper.command("listen");
    std::uint64_t step = 1;
    wait_until([&] { return save(client, ++step, 7).has_value(); }, "a save");
    ck_assert(keeper.expect("sealed")["whole"] == true);
}
END_TEST

START_TEST(a_keeper_that_lives_and_reads_nothing_is_told_to_the_program)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    ::kill(keeper.pid(), SIGSTOP);
    std::uint64_t step = 1;
    for (; step < 5000; ++step) {
        ck_assert(client.start_save(step).has_value());
        ck_assert(client.complete_save(false).has_value()); // each is told to the keeper
    }
    expect_code(save(client, step, 1), Code::keeper_lost);
    ::kill(keeper.pid(), SIGCONT);
    wait_until([&] { return client.find_committed() == step; }, "the commit when it reads again");
}
END_TEST

START_TEST(a_program_that_a_newer_run_has_replaced_is_told_and_stops_saving)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    keeper.command("drop");
    keeper.command("refuse MSC-R006");
    keeper.command("listen");
    wait_until(
        [&] {
            client.find_committed();
            return !client.start_save(1);
        },
        "the refusal");
    expect_code(client.start_save(2), Code::fenced);
}
END_TEST

START_TEST(degraded_is_read_from_the_memory)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    keeper.command("degraded 1");
    expect_code(save(client, 1, 1), Code::degraded);
    keeper.command("degraded 0");
    expect_committed(keeper, client, 1);
    ck_assert(save(client, 2, 1).has_value());
}
END_TEST

START_TEST(the_keepers_name_the_step_of_the_last_save_and_of_the_end)
{
    KeeperDouble keeper("--ranks 2 --every-ms 1");
    Client client = join_well(keeper, {0, 2});
    ck_assert(!client.need_save(5));
    keeper.command("save 7");
    ck_assert(!client.need_save(6) && client.need_save(7));
    ck_assert(save(client, 7, 1).has_value() && !client.need_save(8));
    keeper.command("exit 9");
    client.progress(8);
    ck_assert(!client.should_exit());
    client.progress(9);
    ck_assert(client.should_exit() && client.need_save(9));
}
END_TEST

START_TEST(the_last_save_is_tried_again_until_there_is_room)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    ck_assert(save(client, 1, 1).has_value());
    expect_committed(keeper, client, 1);
    keeper.command("hold");
    keeper.command("exit 3");
    ck_assert(save(client, 2, 2).has_value() && client.need_save(3));
    expect_code(client.start_save(3), Code::save_busy);
    expect_code(client.start_save(3), Code::save_busy);
    keeper.command("commit");
    expect_committed(keeper, client, 2);
    ck_assert(save(client, 3, 3).has_value());
    expect_committed(keeper, client, 3);
}
END_TEST

START_TEST(a_join_that_is_refused_tells_the_keepers_own_words)
{
    KeeperDouble keeper;
    keeper.command("refuse MSC-R004");
    const auto refused = join(keeper);
    ck_assert(!refused && refused.error().code == Code::snapshot_room);
    expect_part(to_line(refused.error()), "the test says no; ask the test");
}
END_TEST

START_TEST(nobody_at_the_socket_is_an_error_after_a_while)
{
    KeeperDouble keeper;
    keeper.command("drop");
    const auto refused = join(keeper);
    ck_assert(!refused && refused.error().code == Code::keeper_lost);
}
END_TEST

START_TEST(calls_in_the_wrong_order_are_errors_and_harm_nothing)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    expect_code(client.put({.name = "a"}, {}), Code::save_order);
    expect_code(client.complete_save(true), Code::save_order);
    expect_code(client.start_restart(), Code::save_order);
    expect_code(client.complete_restart(true), Code::save_order);
    ck_assert(save(client, 5, 1).has_value());
    expect_code(client.start_save(5), Code::save_order);
    expect_code(client.start_save(4), Code::save_order);
    ck_assert(client.start_save(6).has_value());
    expect_code(client.start_save(7), Code::save_order);
    ck_assert(client.complete_save(true).has_value());
    expect_committed(keeper, client, 6);
}
END_TEST

START_TEST(a_thousand_saves_need_no_more_memory_or_descriptors)
{
    KeeperDouble keeper;
    Client client = join_well(keeper);
    const auto pages = [] {
        std::string text(200, '\0');
        FILE* file = std::fopen("/proc/self/statm", "r");
        text.resize(std::fread(text.data(), 1, text.size(), file));
        std::fclose(file);
        return std::stol(text);
    };
    [[maybe_unused]] long before = 0;
    for (std::uint64_t step = 1; step <= 1000; ++step) {
        wait_until([&] { return client.find_committed().value_or(0) == step - 1; }, "a commit");
        ck_assert(save(client, step, 1).has_value());
        keeper.expect("committed");
        if (step == 100) before = pages();
    }
#ifndef __SANITIZE_ADDRESS__ // which keeps what was freed for a while
    ck_assert_int_eq(pages(), before);
#endif
}
END_TEST

} // namespace

Suite* client_suite()
{
    return make_suite(
        "client", a_save_is_committed_and_the_keeper_finds_it_whole,
        epochs_follow_the_steps_so_that_a_rank_which_left_a_save_out_stays_in_line,
        the_committed_slot_is_never_touched_and_one_that_is_being_copied_is_busy,
        a_keeper_that_forgot_the_last_commit_changes_nothing_of_it,
        a_save_that_another_rank_left_out_frees_its_slot,
        a_save_thrown_away_is_no_snapshot_and_the_next_one_works,
        without_its_keeper_the_program_saves_into_its_memory_and_is_told_so,
        a_keeper_that_is_back_is_joined_again_and_told_of_the_last_save,
        what_a_keeper_was_told_and_did_not_commit_is_told_to_the_next,
        both_saves_that_a_keeper_did_not_commit_are_told_to_the_next,
        memory_that_is_passed_again_and_is_the_same_keeps_its_committed_slot,
        a_keeper_that_lost_the_memory_passes_another_one,
        a_keeper_that_lives_and_reads_nothing_is_told_to_the_program,
        a_program_that_a_newer_run_has_replaced_is_told_and_stops_saving, degraded_is_read_from_the_memory,
        the_keepers_name_the_step_of_the_last_save_and_of_the_end,
        the_last_save_is_tried_again_until_there_is_room, a_join_that_is_refused_tells_the_keepers_own_words,
        nobody_at_the_socket_is_an_error_after_a_while, calls_in_the_wrong_order_are_errors_and_harm_nothing,
        a_thousand_saves_need_no_more_memory_or_descriptors);
}
