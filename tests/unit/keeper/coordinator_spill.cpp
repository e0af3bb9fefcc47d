// Files of a spill, and jobs that resume others.
#include <algorithm>

#include "tests/unit/keeper/nodes.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace nodes_of_test;

START_TEST(a_newer_epoch_in_files_wins_over_an_older_one_in_memory)
{
    Nodes nodes;
    nodes.terms.ft.spill = "/scratch";
    nodes.held["n2"] = {{{7, first, 2, 1, 10}}, {held_copy(0, 1), held_copy(1, 1)}, {}};
    nodes.files["n1"] = {{{7, first, 2, 3, 30}, {0, 1}}};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(answer.record && answer.record->epoch == 3);
    ck_assert(answer.sources == std::vector<RankSources>({{{}, {"n1"}}, {{}, {"n1"}}}));
    ck_assert(nodes.looked == std::vector<std::string>({"n1"})); // which saw all of it
}
END_TEST

START_TEST(a_damaged_file_gives_way_to_the_older_epoch_in_memory)
{
    Nodes nodes;
    nodes.terms.ft.spill = "/scratch";
    nodes.held["n2"] = {{{7, first, 2, 1, 10}}, {held_copy(0, 1), held_copy(1, 1)}, {}};
    nodes.files["n1"] = {{{7, first, 2, 3, 30}, {0, 1}}};
    nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    const RestoreState::Failed failed{1, 3, "n1", recovery::Tier::spill, "a flipped byte"};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {failed}, {}});
    ck_assert(answer.record && answer.record->epoch == 1);
    ck_assert(answer.sources == std::vector<RankSources>({{{"n2"}, {}}, {{"n2"}, {}}}));
}
END_TEST

START_TEST(a_copy_in_memory_that_is_lost_gives_way_to_the_file_of_the_same_node)
{
    Nodes nodes;
    nodes.terms.ft.spill = "/scratch";
    nodes.held["n1"] = {{{7, first, 2, 3, 30}}, {held_copy(0, 3), held_copy(1, 3)}, {}};
    nodes.files["n1"] = {{{7, first, 2, 3, 30}, {0, 1}}};
    const RestoreState::Failed failed{1, 3, "n1", recovery::Tier::memory, "gone"};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {failed}, {}});
    ck_assert(answer.record && answer.record->epoch == 3);
    ck_assert(answer.sources == std::vector<RankSources>({{{"n1"}, {"n1"}}, {{}, {"n1"}}}));
}
END_TEST

START_TEST(files_that_no_node_sees_alone_are_put_together)
{
    Nodes nodes;
    nodes.terms.ft.spill = "/local";
    nodes.files["n1"] = {{{7, first, 2, 3, 30}, {0}}};
    nodes.files["n3"] = {{{7, first, 2, 3, 30}, {1}}};
    const RestoreAnswer answer = nodes.restore("n2", {7, requeued, 2, {}, {}, {}, {}});
    ck_assert(answer.record && answer.sources == std::vector<RankSources>({{{}, {"n1"}}, {{}, {"n3"}}}));
}
END_TEST

START_TEST(a_job_without_a_spill_looks_at_no_file)
{
    Nodes nodes;
    nodes.files["n1"] = {{{7, first, 2, 3, 30}, {0, 1}}};
    ck_assert(!nodes.restore("n2", {7, second, 2, {}, {}, {}, {}}).record);
    ck_assert(nodes.looked.empty());
}
END_TEST

START_TEST(a_job_resumes_another_from_files_or_from_memory)
{
    for (const bool in_files : {true, false}) {
        Nodes nodes;
        nodes.terms.ft.resume = 5;
        nodes.terms.ft.spill = "/scratch";
        if (in_files) nodes.files["n1"] = {{{5, requeued, 2, 3, 30}, {0, 1}}};
        if (!in_files)
            nodes.held["n5"] = {{{5, requeued, 2, 3, 30}}, {{0, requeued, 3, 30, ""}, {1, requeued, 3, 30, ""}}, {}};
        const RestoreAnswer answer = nodes.restore("n2", {7, first, 2, {}, {}, {}, {}});
        ck_assert(answer.record && answer.record->job_id == 5 && answer.record->epoch == 3);
    }
}
END_TEST

START_TEST(a_job_that_has_committed_goes_on_from_its_own)
{
    Nodes nodes;
    nodes.terms.ft.resume = 5;
    nodes.terms.ft.spill = "/scratch";
    nodes.files["n1"] = {{{5, requeued, 2, 300, 3000}, {0, 1}}};
    nodes.held["n2"] = {{{7, first, 2, 4, 40}}, {held_copy(0, 4), held_copy(1, 4)}, {}};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(answer.record && answer.record->job_id == 7 && answer.record->epoch == 4);
}
END_TEST

START_TEST(a_job_that_resumes_nothing_is_refused_and_never_begins_anew)
{
    Nodes nodes;
    nodes.terms.ft.resume = 5;
    nodes.terms.ft.spill = "/scratch";
    nodes.restore("n2", {7, first, 2, {}, {}, {}, {}});
    ck_assert(nodes.refused == std::vector<Code>({Code::no_snapshot}));
}
END_TEST

START_TEST(a_job_of_another_user_is_not_resumed)
{
    Nodes nodes;
    nodes.terms.ft.resume = 5;
    nodes.foreign = {"n5"};
    nodes.restore("n2", {7, first, 2, {}, {}, {}, {}});
    ck_assert(nodes.refused == std::vector<Code>({Code::snapshot_foreign}));
}
END_TEST

START_TEST(nothing_is_told_of_the_steps_of_another_users_job)
{
    Nodes nodes;
    nodes.terms.ft.resume = 5;
    nodes.foreign = {"n5"};
    nodes.held["n4"].records = {{5, first, 2, 49, 48}}; // it can't tell whose they are
    nodes.restore("n2", {7, first, 2, {}, {}, {}, {}});
    ck_assert(nodes.refused == std::vector<Code>({Code::snapshot_foreign}));
    ck_assert_str_eq(nodes.words.c_str(), "the snapshots of job 5 belong to another user");
}
END_TEST

START_TEST(every_second_commit_is_spilled_and_settled_when_all_ranks_are_written)
{
    Nodes nodes;
    nodes.terms.ft.spill = "/scratch";
    nodes.terms.ft.spill_every = 2;
    for (const std::uint64_t epoch : {1U, 2U, 3U}) {
        nodes.prepare("n2", prepared(0, epoch));
        nodes.prepare("n3", prepared(1, epoch));
    }
    const auto count = [&nodes](const std::string& op) {
        return std::ranges::count(nodes.log, op, &std::pair<std::string, std::string>::second);
    };
    ck_assert_int_eq(count("committed and spill"), 3); // of epoch 2, at three nodes
    const recovery::CommitRecord second_epoch{7, first, 2, 2, 20};
    nodes.tell("n2", "spilled", to_json(recovery::SpilledEpoch{second_epoch, {0}}));
    ck_assert_int_eq(count("settle"), 0);
    nodes.tell("n3", "spilled", to_json(recovery::SpilledEpoch{second_epoch, {1}}));
    ck_assert_int_eq(count("settle"), 3);
}
END_TEST
Suite* coordinator_spill_suite()
{
    return make_suite("coordinator_spill", a_newer_epoch_in_files_wins_over_an_older_one_in_memory,
                      a_damaged_file_gives_way_to_the_older_epoch_in_memory,
                      a_copy_in_memory_that_is_lost_gives_way_to_the_file_of_the_same_node,
                      files_that_no_node_sees_alone_are_put_together,
                      a_job_without_a_spill_looks_at_no_file,
                      a_job_resumes_another_from_files_or_from_memory,
                      a_job_that_has_committed_goes_on_from_its_own,
                      a_job_that_resumes_nothing_is_refused_and_never_begins_anew,
                      a_job_of_another_user_is_not_resumed, nothing_is_told_of_the_steps_of_another_users_job,
                      every_second_commit_is_spilled_and_settled_when_all_ranks_are_written);
}
