// The supervisor of `mscale run` against a clock, nodes and ranks that the tests play.
#include <csignal>

#include "cli/run/supervisor.hpp"
#include "tests/unit/check.hpp"
#include "tests/unit/cli/run_stage.hpp"
#include "tests/unit/cli/suites.hpp"

using namespace mscale;
using namespace mscale::cli;

namespace {

using Nodes = std::vector<std::string>;

} // namespace

START_TEST(a_run_without_a_fault_ends_0_and_says_nothing)
{
    Stage stage;
    stage.train(0, 1000, 900);
    stage.end_srun(0);
    ck_assert(!stage.status); // what the ranks said last isn't known yet
    stage.leave(0);
    stage.pass(100);
    ck_assert(stage.status == 0 && stage.words.empty() &&
              stage.launches == (std::vector<Nodes>{{"n1", "n2"}}));
}
END_TEST

START_TEST(a_program_that_doesn_t_register_ends_with_srun_s_0)
{
    Stage stage;
    stage.end_srun(0);
    stage.pass(100);
    ck_assert(stage.status == 0 && stage.words.empty());
}
END_TEST

START_TEST(a_dead_node_is_fenced_and_the_spare_steps_in)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.die("n2");
    stage.pass(100);
    ck_assert(stage.asked<act::FenceStep>() && stage.launches.size() == 1);
    stage.end_srun(137);
    ck_assert(stage.launches.back() == (Nodes{"n1", "n3"}));
    ck_assert(stage.said("n2 was lost at step 650: silence") &&
              stage.said("with n3 in place of n2, going on with step 601"));
    stage.train(1, 1000, 900);
    ck_assert_int_eq(stage.timelines, 1);
    stage.leave(1);
    stage.end_srun(0);
    stage.pass(100);
    ck_assert(stage.status == 0);
}
END_TEST

START_TEST(an_srun_that_fails_before_the_death_is_agreed_waits_for_the_verdict)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.end_srun(1);
    stage.pass(700);
    ck_assert_uint_eq(stage.launches.size(), 1);
    stage.die("n2");
    stage.pass(100);
    ck_assert(stage.launches.back() == (Nodes{"n1", "n3"}));
}
END_TEST

START_TEST(a_node_that_slurm_took_away_counts_as_lost)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.end_srun(137);
    ck_assert(stage.asked<act::AskAllocation>());
    stage.collect(stage.supervisor.on_allocation(Nodes{"n1", "n3"}, stage.moment()));
    ck_assert(stage.launches.back() == (Nodes{"n1", "n3"}));
    ck_assert(stage.said("slurmctld took it out of the job"));
}
END_TEST

START_TEST(srun_s_0_is_no_success_where_ranks_never_left)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.end_srun(0);
    stage.pass(1500);
    ck_assert(!stage.status && stage.launches.size() == 2);
    ck_assert(stage.said("2 of 2 ranks haven't said that they are done"));
}
END_TEST

START_TEST(a_rank_s_fault_restarts_on_the_same_nodes_and_uses_no_spare)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.end_srun(137);
    stage.pass(1500);
    ck_assert(stage.launches.back() == (Nodes{"n1", "n2"}));
    ck_assert(stage.said("exit code 137 (signal 9)") && stage.said("on the same nodes"));
}
END_TEST

START_TEST(a_run_says_that_it_begins_from_nothing_only_where_no_other_came_before_it)
{
    for (const bool has_past : {false, true}) {
        Stage stage(10, has_past);
        stage.view.ranks = {0, 0, 2, 0, 5, milliseconds(1), "n2"};
        stage.pass(100);
        stage.end_srun(1);
        stage.pass(1500);
        ck_assert(stage.said("from the beginning") == !has_past);
        ck_assert(stage.said("from what its keepers find") == has_past);
    }
}
END_TEST

START_TEST(a_fault_that_comes_back_at_the_same_step_ends_with_the_program_s_code)
{
    Stage stage;
    for (std::uint32_t step_id : {0U, 1U}) {
        stage.train(step_id, 650, 600);
        stage.end_srun(3);
        stage.pass(1500);
    }
    ck_assert(stage.status == 3 && stage.launches.size() == 2);
    ck_assert(stage.said("same step by the program's own fault") &&
              stage.said("run 2: the program ended with exit code 3"));
}
END_TEST

START_TEST(the_budget_of_restarts_is_kept)
{
    Stage stage(1);
    stage.train(0, 650, 600);
    stage.end_srun(3);
    stage.pass(1500);
    stage.train(1, 850, 800);
    stage.end_srun(4);
    stage.pass(1500);
    ck_assert(stage.status == 4 && stage.launches.size() == 2 && stage.said("restarts are used up"));
}
END_TEST

START_TEST(a_rank_that_stands_still_is_fenced_after_the_measured_limit)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.pass(60000); // an evaluation, though a step takes 0.1 s
    ck_assert(!stage.asked<act::FenceStep>());
    stage.pass(200);
    ck_assert(stage.asked<act::FenceStep>());
    stage.end_srun(137);
    ck_assert(stage.launches.size() == 2 && stage.said("stood still on n2 at step 650: no progress for"));
    ck_assert(stage.said("the limit is 60000 ms") && stage.said("--hang-limit="));
}
END_TEST

START_TEST(a_pause_that_is_told_of_is_none_and_no_measure_of_a_step)
{
    Stage stage;
    stage.train(0, 650, 600);
    for (int i = 0; i < 5; ++i) {
        stage.pass(40000);
        ck_assert(!stage.asked<act::FenceStep>());
        ++stage.view.ranks.signs;
    }
    stage.pass(60000);
    ck_assert(!stage.asked<act::FenceStep>());
    stage.pass(200);
    ck_assert(stage.asked<act::FenceStep>());
}
END_TEST

START_TEST(ranks_that_are_done_or_have_not_begun_are_not_called_hung)
{
    Stage stage;
    stage.view.ranks = {0, 0, 2, 0, 0, milliseconds(0), ""};
    stage.pass(60000);
    ck_assert(!stage.asked<act::FenceStep>());
    stage.train(0, 650, 600);
    stage.leave(0);
    stage.pass(60000);
    ck_assert(!stage.asked<act::FenceStep>());
}
END_TEST

START_TEST(what_ranks_of_the_run_before_told_is_not_taken_for_this_one_s)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.die("n2");
    stage.pass(100);
    stage.end_srun(137);
    stage.pass(10000); // the new ranks are slow to begin; the old ones' step stands in the view
    ck_assert(!stage.asked<act::FenceStep>() && stage.launches.size() == 2);
}
END_TEST

START_TEST(a_step_that_doesn_t_end_loses_its_srun)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.die("n2");
    stage.pass(6200);
    ck_assert(stage.asked<act::KillSrun>());
    stage.pass(6200);
    ck_assert(!stage.asked<act::KillSrun>());
}
END_TEST

START_TEST(an_srun_that_waits_for_its_step_is_told_to_stop)
{
    Stage stage;
    stage.die("n2");
    stage.pass(100);
    stage.collect(stage.supervisor.on_fenced(false, stage.moment()));
    ck_assert(stage.asked<act::SendSignal>());
}
END_TEST

START_TEST(a_run_that_slurm_gives_no_step_is_begun_again_after_a_while_but_not_the_first)
{
    Stage stage;
    stage.pass(60000);
    ck_assert(!stage.asked<act::AskStep>());
    stage.train(0, 650, 600);
    stage.die("n2");
    stage.pass(100);
    stage.end_srun(137);
    ck_assert_uint_eq(stage.launches.size(), 2);
    stage.pass(29000);
    ck_assert(!stage.asked<act::AskStep>());
    stage.pass(2000);
    ck_assert(stage.asked<act::AskStep>());
    stage.collect(stage.supervisor.on_step(true, stage.moment()));
    ck_assert(!stage.asked<act::FenceStep>());
    stage.collect(stage.supervisor.on_step(false, stage.moment()));
    ck_assert(stage.asked<act::FenceStep>());
    stage.end_srun(1);
    ck_assert(stage.launches.size() == 3 && stage.said("the run wasn't begun: Slurm gave srun no step within 31 s"));
}
END_TEST

START_TEST(two_deaths_use_up_the_nodes_and_the_job_is_given_back)
{
    Stage stage;
    stage.train(0, 650, 600);
    for (const char* node : {"n2", "n3"}) {
        stage.die(node);
        stage.pass(100);
        stage.end_srun(137);
    }
    ck_assert(stage.status == 137 && stage.said("2 nodes are needed and 1 is left: n1"));
}
END_TEST

Suite* run_supervisor_suite()
{
    Suite* suite = suite_create("run_supervisor");
    TCase* tests = tcase_create("run_supervisor");
    tcase_add_test(tests, a_run_without_a_fault_ends_0_and_says_nothing);
    tcase_add_test(tests, a_program_that_doesn_t_register_ends_with_srun_s_0);
    tcase_add_test(tests, a_dead_node_is_fenced_and_the_spare_steps_in);
    tcase_add_test(tests, an_srun_that_fails_before_the_death_is_agreed_waits_for_the_verdict);
    tcase_add_test(tests, a_node_that_slurm_took_away_counts_as_lost);
    tcase_add_test(tests, srun_s_0_is_no_success_where_ranks_never_left);
    tcase_add_test(tests, a_rank_s_fault_restarts_on_the_same_nodes_and_uses_no_spare);
    tcase_add_test(tests, a_run_says_that_it_begins_from_nothing_only_where_no_other_came_before_it);
    tcase_add_test(tests, a_fault_that_comes_back_at_the_same_step_ends_with_the_program_s_code);
    tcase_add_test(tests, the_budget_of_restarts_is_kept);
    tcase_add_test(tests, a_rank_that_stands_still_is_fenced_after_the_measured_limit);
    tcase_add_test(tests, a_pause_that_is_told_of_is_none_and_no_measure_of_a_step);
    tcase_add_test(tests, ranks_that_are_done_or_have_not_begun_are_not_called_hung);
    tcase_add_test(tests, what_ranks_of_the_run_before_told_is_not_taken_for_this_one_s);
    tcase_add_test(tests, a_step_that_doesn_t_end_loses_its_srun);
    tcase_add_test(tests, an_srun_that_waits_for_its_step_is_told_to_stop);
    tcase_add_test(tests, a_run_that_slurm_gives_no_step_is_begun_again_after_a_while_but_not_the_first);
    tcase_add_test(tests, two_deaths_use_up_the_nodes_and_the_job_is_given_back);
    suite_add_tcase(suite, tests);
    return suite;
}
