#include <algorithm>

#include "tests/unit/keeper/nodes.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace nodes_of_test;

START_TEST(an_epoch_is_announced_after_a_second_node_has_kept_its_record)
{
    Nodes nodes;
    nodes.prepare("n2", prepared(0, 1));
    ck_assert(nodes.log.empty());
    nodes.prepare("n3", prepared(1, 1));
    const std::vector<std::pair<std::string, std::string>> wanted = {
        {"n1", "keep"}, {"n2", "keep"}, {"n1", "committed"}, {"n2", "committed"}, {"n3", "committed"}};
    ck_assert(nodes.log == wanted);
}
END_TEST

START_TEST(a_dead_second_node_is_passed_over)
{
    Nodes nodes;
    nodes.dead = {"n2"};
    nodes.prepare("n1", prepared(0, 1));
    nodes.prepare("n3", prepared(1, 1));
    ck_assert((nodes.log[1] == std::pair<std::string, std::string>("n3", "keep")));
}
END_TEST

START_TEST(when_the_coordinator_dies_the_next_node_goes_on_with_what_all_hold)
{
    Nodes nodes;
    nodes.prepare("n2", prepared(0, 1));
    nodes.prepare("n3", prepared(1, 1));
    nodes.dead = {"n1"};
    nodes.held["n2"].copies = {held_copy(0, 1), held_copy(1, 1)};
    const RestoreAnswer answer = nodes.restore("n3", {7, second, 2, {}, {}, {}, {}});
    ck_assert(answer.record && answer.record->epoch == 1);
    ck_assert(answer.sources == std::vector<RankSources>({{{"n2"}, {}}, {{"n2"}, {}}}));
}
END_TEST

START_TEST(a_run_starts_when_every_rank_is_ready)
{
    Nodes nodes;
    ck_assert(!nodes.restore("n2", {7, first, 2, {{0, 0}}, {}, {}, {}}).go);
    ck_assert(nodes.restore("n3", {7, first, 2, {{1, 0}}, {}, {}, {}}).go);
    ck_assert(nodes.restore("n2", {7, first, 2, {{0, 0}}, {}, {}, {}}).go);
}
END_TEST

START_TEST(a_new_run_goes_on_from_what_the_run_before_it_committed)
{
    Nodes nodes;
    nodes.restore("n2", {7, first, 2, {{0, 0}, {1, 0}}, {}, {}, {}});
    nodes.prepare("n2", prepared(0, 1));
    nodes.prepare("n3", prepared(1, 1));
    nodes.held["n3"].copies = {held_copy(0, 1), held_copy(1, 1)};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(!answer.go && answer.record && answer.record->epoch == 1);
}
END_TEST

START_TEST(a_coordinator_that_began_anew_in_the_middle_of_a_run_asks_again_for_the_next)
{
    Nodes nodes;
    nodes.held["n2"] = {{{7, first, 2, 4, 40}}, {held_copy(0, 4), held_copy(1, 4)}, {}};
    nodes.prepare("n2", prepared(0, 5)); // the first word that it hears
    nodes.held["n2"] = {{{7, first, 2, 5, 50}}, {held_copy(0, 5), held_copy(1, 5)}, {}};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(answer.record && answer.record->epoch == 5 && answer.sources.size() == 2);
}
END_TEST

START_TEST(whoever_takes_over_tells_the_newest_commit_again_and_only_once)
{
    Nodes nodes;
    nodes.held["n3"].records = {{7, first, 2, 4, 40}};
    nodes.prepare("n2", prepared(0, 4)); // its node missed the word of it
    const std::vector<std::pair<std::string, std::string>> wanted = {
        {"n1", "keep"}, {"n2", "keep"}, {"n1", "committed"}, {"n2", "committed"}, {"n3", "committed"}};
    ck_assert(nodes.log == wanted);
    nodes.prepare("n3", prepared(1, 4));
    nodes.prepare("n2", prepared(0, 5));
    ck_assert(nodes.log == wanted);
}
END_TEST

START_TEST(nothing_of_a_commit_is_given_up_before_all_nodes_are_told_of_it)
{
    std::vector<Keepers::Answered> open;
    Keepers keepers({[] { return "n1"; },
                     [&](const std::string&, const std::string&, const Json&, Keepers::Answered answered) {
                         open.push_back(std::move(answered));
                     },
                     {},
                     {},
                     {},
                     [](std::uint32_t, const std::string&) { return false; },
                     {}},
                    [](std::uint32_t) { return std::vector<std::string>({"n1", "n2"}); },
                    [](const std::string&, const Json&, const Keepers::Answer& answer) { answer(to_json(Holdings())); });
    Coordinator coordinator(keepers);
    Json said;
    const auto hear = [&said](const Json& answer) { said = answer; };
    coordinator.answer_prepare(to_json(prepared(0, 5)), hear);
    open.at(0)(to_json(Holdings()));
    coordinator.answer_prepare(to_json(prepared(1, 5)), hear);
    coordinator.answer_skip(to_json(Skipped{prepared(0, 6), {}}), hear); // n2 hasn't said yet that it keeps the record
    ck_assert(said["abandoned"] == 4 && !said.contains("commit"));
    open.at(1)(Json(ok_with()));
    coordinator.answer_skip(to_json(Skipped{prepared(0, 6), {}}), hear);
    ck_assert(said["abandoned"] == 6 && said["commit"]["epoch"] == 5);
}
END_TEST

START_TEST(a_node_that_is_silent_is_waited_for_when_it_may_hold_what_is_missing)
{
    Nodes nodes;
    nodes.held["n2"] = {{{7, first, 2, 4, 40}}, {held_copy(0, 4)}, {}};
    nodes.held["n3"] = {{{7, first, 2, 4, 40}}, {held_copy(1, 4)}, {}};
    nodes.dead = {"n3"};
    const RestoreAnswer waiting = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(!waiting.gathered && !waiting.record);
    nodes.dead = {};
    nodes.restore("n2", {7, second, 2, {}, {}, {}, {}}); // asks the nodes again
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(answer.gathered && answer.record && answer.record->epoch == 4);
}
END_TEST

START_TEST(a_silent_node_is_not_waited_for_when_the_others_hold_all)
{
    Nodes nodes;
    nodes.held["n2"] = {{{7, first, 2, 4, 40}}, {held_copy(0, 4), held_copy(1, 4)}, {}};
    nodes.dead = {"n3"};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(answer.gathered && answer.record && answer.record->epoch == 4);
}
END_TEST

START_TEST(a_run_that_was_followed_by_a_newer_one_commits_nothing)
{
    Nodes nodes;
    nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    nodes.prepare("n2", prepared(0, 1));
    nodes.prepare("n3", prepared(1, 1));
    ck_assert(nodes.log.empty() && nodes.refused == std::vector<Code>({Code::fenced, Code::fenced}));
}
END_TEST

START_TEST(a_requeued_run_goes_on_from_what_a_node_out_of_its_allocation_holds)
{
    Nodes nodes;
    nodes.held["n2"].earlier = {"n2", "n4"};
    nodes.held["n4"] = {{{7, first, 2, 1, 10}}, {held_copy(0, 1), held_copy(1, 1)}, {}};
    const RestoreAnswer answer = nodes.restore("n2", {7, requeued, 2, {}, {}, {}, {}});
    ck_assert(answer.record && answer.record->epoch == 1);
    ck_assert(answer.sources == std::vector<RankSources>({{{"n4"}, {}}, {{"n4"}, {}}}));
    ck_assert(nodes.asked == std::vector<std::string>({"n1", "n2", "n3", "n4"})); // the run before was there
}
END_TEST

START_TEST(where_nobody_knows_the_run_before_the_whole_cluster_is_asked)
{
    Nodes nodes;
    nodes.dead = {"n4"};
    nodes.held["n5"] = {{{7, first, 2, 1, 10}}, {held_copy(0, 1), held_copy(1, 1)}, {}};
    ck_assert(nodes.restore("n2", {7, requeued, 2, {}, {}, {}, {}}).record);
}
END_TEST

START_TEST(a_first_run_asks_no_node_out_of_its_allocation)
{
    Nodes nodes;
    nodes.held["n1"].earlier = {"n4"};
    nodes.restore("n2", {7, first, 2, {}, {}, {}, {}});
    ck_assert(nodes.asked == names);
}
END_TEST

START_TEST(what_lies_out_of_the_allocation_is_dropped_at_the_first_commit)
{
    Nodes nodes;
    nodes.held["n4"] = {{{7, first, 2, 1, 10}}, {held_copy(0, 1), held_copy(1, 1)}, {}};
    nodes.restore("n2", {7, requeued, 2, {{0, 1}, {1, 1}}, {}, {}, {}});
    ck_assert(nodes.log.empty());
    nodes.prepare("n2", prepared(0, 2, requeued));
    nodes.prepare("n2", prepared(1, 2, requeued));
    ck_assert((nodes.log.back() == std::pair<std::string, std::string>("n4", "drop")));
}
END_TEST

START_TEST(a_requeued_run_never_starts_from_nothing_when_something_was_committed)
{
    Nodes nodes;
    nodes.held["n4"].records = {{7, first, 2, 1, 10}}; // its memory was freed meanwhile
    nodes.restore("n2", {7, requeued, 2, {}, {}, {}, {}});
    ck_assert(nodes.refused == std::vector<Code>({Code::no_snapshot}));
}
END_TEST

START_TEST(a_run_is_refused_when_only_slurmctld_still_knows_of_a_snapshot)
{
    Nodes nodes;
    nodes.told = 10;
    nodes.restore("n2", {7, requeued, 2, {}, {}, {}, {}});
    ck_assert(nodes.refused == std::vector<Code>({Code::no_snapshot}));
}
END_TEST

START_TEST(a_requeued_run_of_a_job_that_never_had_a_snapshot_begins_from_nothing)
{
    Nodes nodes;
    const RestoreAnswer answer = nodes.restore("n2", {7, requeued, 2, {}, {}, {}, {}});
    ck_assert(answer.gathered && !answer.record && nodes.refused.empty());
}
END_TEST

START_TEST(nodes_that_say_nothing_are_waited_for_no_longer_than_the_limit)
{
    std::function<void()> limit;
    std::vector<Keepers::Answered> open;
    Keepers keepers({[] { return "n1"; },
                     [&](const std::string&, const std::string&, const Json&, Keepers::Answered answered) {
                         open.push_back(std::move(answered));
                     },
                     {},
                     {},
                     [&](std::chrono::milliseconds, std::function<void()> call) { limit = std::move(call); },
                     {},
                     {}},
                    {}, {});
    std::vector<std::size_t> counts;
    keepers.ask_nodes({"n4", "n5"}, "hold", {}, std::chrono::seconds(1),
                      [&](const auto& answers) { counts.push_back(answers.size()); });
    open[0](Json(ok_with()));
    ck_assert(counts.empty());
    limit();
    open[1](Json(ok_with()));
    ck_assert(counts == std::vector<std::size_t>{1});
}
END_TEST
Suite* coordinator_suite()
{
    return make_suite("coordinator", an_epoch_is_announced_after_a_second_node_has_kept_its_record,
                      a_dead_second_node_is_passed_over,
                      when_the_coordinator_dies_the_next_node_goes_on_with_what_all_hold,
                      a_run_starts_when_every_rank_is_ready,
                      a_new_run_goes_on_from_what_the_run_before_it_committed,
                      a_coordinator_that_began_anew_in_the_middle_of_a_run_asks_again_for_the_next,
                      whoever_takes_over_tells_the_newest_commit_again_and_only_once,
                      nothing_of_a_commit_is_given_up_before_all_nodes_are_told_of_it,
                      a_node_that_is_silent_is_waited_for_when_it_may_hold_what_is_missing,
                      a_silent_node_is_not_waited_for_when_the_others_hold_all,
                      a_run_that_was_followed_by_a_newer_one_commits_nothing,
                      a_requeued_run_goes_on_from_what_a_node_out_of_its_allocation_holds,
                      where_nobody_knows_the_run_before_the_whole_cluster_is_asked,
                      a_first_run_asks_no_node_out_of_its_allocation,
                      what_lies_out_of_the_allocation_is_dropped_at_the_first_commit,
                      a_requeued_run_never_starts_from_nothing_when_something_was_committed,
                      a_run_is_refused_when_only_slurmctld_still_knows_of_a_snapshot,
                      a_requeued_run_of_a_job_that_never_had_a_snapshot_begins_from_nothing,
                      nodes_that_say_nothing_are_waited_for_no_longer_than_the_limit);
}
