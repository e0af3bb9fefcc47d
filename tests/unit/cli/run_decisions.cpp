// The decisions of `mscale run`, each alone: nodes, remedies, what mscaled's answer says.
#include <algorithm>

#include "base/json.hpp"
#include "cli/run/choose_nodes.hpp"
#include "cli/run/losses.hpp"
#include "cli/run/recovery_story.hpp"
#include "cli/run/run_view.hpp"
#include "tests/unit/check.hpp"
#include "tests/unit/cli/suites.hpp"

using namespace mscale;
using namespace mscale::cli;

namespace {

using Nodes = std::vector<std::string>;

Loss fault(std::uint64_t step, std::optional<std::uint64_t> committed = 600)
{
    return {Cause::program, "", "exit code 3", step, committed, true};
}

Loss death(const char* node)
{
    return {Cause::node, node, "silence", 650, 600, true};
}

} // namespace

START_TEST(surplus_nodes_are_parked_and_a_spare_steps_in_for_a_dead_one)
{
    ck_assert(choose_nodes({{"n1", "n2", "n3"}, {}, {}, {}, 2}) == (Nodes{"n1", "n2"}));
    ck_assert(choose_nodes({{"n1", "n2", "n3"}, {"n1", "n2"}, {"n2"}, {}, 2}) == (Nodes{"n1", "n3"}));
    ck_assert(choose_nodes({{"n1", "n2", "n3", "n4"}, {"n1", "n4"}, {}, {}, 2}) == (Nodes{"n1", "n4"}));
}
END_TEST

START_TEST(a_blamed_node_is_left_out_only_while_others_suffice)
{
    ck_assert(choose_nodes({{"n1", "n2", "n3"}, {"n1", "n2"}, {}, {"n2"}, 2}) == (Nodes{"n1", "n3"}));
    ck_assert(choose_nodes({{"n1", "n2", "n3"}, {"n1", "n2"}, {"n3"}, {"n2"}, 2}) == (Nodes{"n1", "n2"}));
}
END_TEST

START_TEST(too_few_live_nodes_are_named)
{
    const auto chosen = choose_nodes({{"n1", "n2"}, {"n1", "n2"}, {"n2"}, {}, 2});
    ck_assert(!chosen && chosen.error().code == Code::node_silent);
    ck_assert_str_eq(chosen.error().text.c_str(), "2 nodes are needed and 1 is left: n1");
}
END_TEST

START_TEST(a_fault_of_the_program_is_tried_again_once_at_the_same_step)
{
    LossBook book(10);
    ck_assert(book.add(fault(650), 0) == Remedy::restart);
    ck_assert(book.add(fault(650), 0) == Remedy::give_up_no_progress);
}
END_TEST

START_TEST(a_fault_at_another_step_or_after_another_snapshot_is_progress)
{
    LossBook book(10);
    ck_assert(book.add(fault(650), 0) == Remedy::restart);
    ck_assert(book.add(fault(651), 0) == Remedy::restart);
    ck_assert(book.add(fault(651, 610), 0) == Remedy::restart);
    ck_assert(book.add(fault(655, 610), 4) == Remedy::give_up_no_progress);
}
END_TEST

START_TEST(deaths_of_nodes_at_one_step_are_no_fault_of_the_program)
{
    LossBook book(10);
    ck_assert(book.add(death("n2"), 0) == Remedy::restart);
    ck_assert(book.add(death("n3"), 0) == Remedy::restart);
    ck_assert(book.add(fault(650), 0) == Remedy::restart);
    ck_assert(book.add(death("n2"), 0) == Remedy::restart);
    ck_assert(book.blamed() == std::set<std::string>{"n2"});
}
END_TEST

START_TEST(restarts_end_with_their_budget)
{
    LossBook book(2);
    ck_assert(book.add(death("n2"), 0) == Remedy::restart);
    ck_assert(book.add(death("n3"), 0) == Remedy::restart);
    ck_assert(book.add(death("n4"), 0) == Remedy::give_up_budget);
    ck_assert_uint_eq(book.restarts(), 2);
    ck_assert(LossBook(0).add(fault(650), 0) == Remedy::give_up_budget);
}
END_TEST

START_TEST(a_program_that_keeps_no_snapshots_isn_t_begun_anew_for_its_own_fault)
{
    Loss loss{Cause::program, "", "exit code 3", 0, {}, false};
    ck_assert(LossBook(10).add(loss, 0) == Remedy::give_up_unregistered);
    loss.cause = Cause::node;
    ck_assert(LossBook(10).add(loss, 0) == Remedy::restart);
}
END_TEST

START_TEST(the_blame_record_tells_each_run)
{
    const auto lines = describe(std::vector<Loss>{death("n2"), fault(650)});
    ck_assert_str_eq(lines.at(0).c_str(), "run 1: n2 was lost at step 650: silence");
    ck_assert_str_eq(lines.at(1).c_str(), "run 2: the program ended with exit code 3 at step 650");
}
END_TEST

START_TEST(the_answer_of_mscaled_is_read_whole_or_not_at_all)
{
    const std::string text =
        R"({"ok":true,"nodes":["n1","n2"],"keeps_snapshots":true,"spares":1,"detect_ms":600,"dead":[{"node":"n2",)"
        R"("last_heard":1000,"agreed":1700,"down":null,"reason":"silence"}],"ranks":{"restarts":0,"step_id":3,)"
        R"("joined":2,"left":1,"least_step":650,"restored_at":900,"slowest":"n2"},"committed":{"epoch":6,"step":600},)"
        R"("lost":[{"node":"n1","kind":"port","name":"mlx5_0:1","way":"reroute","text":"down","whole":1,"known":2}]})";
    const Json json = parse_json(text, "").value();
    const RunView view = run_view_from_json(json).value();
    ck_assert(view.nodes == (Nodes{"n1", "n2"}) && view.spares == 1 && view.committed_step == 600U);
    ck_assert(find_dead(view, "n2")->agreed.count() == 1700 && !find_dead(view, "n2")->down);
    ck_assert(find_dead(view, "n1") == nullptr && view.ranks.left == 1 && view.ranks.step_id == 3);
    ck_assert(view.lost.size() == 1 && view.lost.front().node == "n1" && view.lost.front().known.count() == 2);
    Json broken = json;
    broken["ranks"].erase("left");
    ck_assert(!run_view_from_json(broken));
}
END_TEST

START_TEST(a_timeline_waits_for_the_new_run_whatever_the_lost_one_still_tells)
{
    using std::chrono::milliseconds;
    RecoveryStory story;
    story.begin("node n2", "n1 and ctl heard nothing", milliseconds(1000), milliseconds(2000));
    RankView ranks;
    ranks.joined = 3, ranks.least_step = 130, ranks.restored_at = milliseconds(500);
    story.watch(ranks, milliseconds(2100));
    ck_assert(!story.is_complete());
    story.launched(milliseconds(2200), 3, 120);
    ranks.least_step = 121, ranks.restored_at = milliseconds(3000);
    story.watch(ranks, milliseconds(3100));
    ck_assert(story.is_complete());
    ck_assert(story.tell(7).step == 120);
}
END_TEST

Suite* run_decisions_suite()
{
    Suite* suite = suite_create("run_decisions");
    TCase* tests = tcase_create("run_decisions");
    tcase_add_test(tests, surplus_nodes_are_parked_and_a_spare_steps_in_for_a_dead_one);
    tcase_add_test(tests, a_blamed_node_is_left_out_only_while_others_suffice);
    tcase_add_test(tests, too_few_live_nodes_are_named);
    tcase_add_test(tests, a_fault_of_the_program_is_tried_again_once_at_the_same_step);
    tcase_add_test(tests, a_fault_at_another_step_or_after_another_snapshot_is_progress);
    tcase_add_test(tests, deaths_of_nodes_at_one_step_are_no_fault_of_the_program);
    tcase_add_test(tests, restarts_end_with_their_budget);
    tcase_add_test(tests, a_program_that_keeps_no_snapshots_isn_t_begun_anew_for_its_own_fault);
    tcase_add_test(tests, the_blame_record_tells_each_run);
    tcase_add_test(tests, the_answer_of_mscaled_is_read_whole_or_not_at_all);
    tcase_add_test(tests, a_timeline_waits_for_the_new_run_whatever_the_lost_one_still_tells);
    suite_add_tcase(suite, tests);
    return suite;
}
