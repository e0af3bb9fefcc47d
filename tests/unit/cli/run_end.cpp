// What `mscale run` makes of a signal, and of ranks that were told to end.
#include <csignal>

#include "base/json.hpp"
#include "cli/run/supervisor.hpp"
#include "tests/unit/check.hpp"
#include "tests/unit/cli/run_stage.hpp"
#include "tests/unit/cli/suites.hpp"

using namespace mscale;
using namespace mscale::cli;

namespace {

/// All ranks leave after the step that they were told; it is committed.
void leave_as_told(Stage& stage, std::uint64_t step, int signal)
{
    stage.view.ranks.least_step = step;
    stage.view.end = ToldEnd{signal, step};
    stage.view.committed_step = step;
    stage.leave(0);
}

} // namespace

START_TEST(ranks_that_save_are_told_and_get_no_signal)
{
    Stage stage;
    stage.train(0, 650, 600);
    for (const int signal : {SIGUSR1, SIGTERM}) {
        stage.send(signal);
        ck_assert(stage.asked<act::TellRanks>() && !stage.asked<act::EndStep>() && !stage.asked<act::SendSignal>());
    }
    ck_assert(stage.said("SIGUSR1: the ranks are told to save and to leave") && !stage.said("SIGTERM"));
}
END_TEST

START_TEST(a_program_without_ranks_is_given_the_signal)
{
    Stage stage;
    stage.send(SIGUSR1);
    ck_assert(stage.asked<act::SendSignal>());
    stage.send(SIGTERM);
    ck_assert(stage.asked<act::EndStep>());
    stage.end_srun(143);
    ck_assert(stage.status == 143 && stage.launches.size() == 1);
}
END_TEST

START_TEST(a_run_that_left_as_told_is_to_be_tried_again_from_its_last_step)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.send(SIGTERM);
    leave_as_told(stage, 660, SIGTERM);
    stage.end_srun(0);
    stage.pass(100);
    ck_assert(!stage.status); // slurmctld hasn't said why
    stage.collect(stage.supervisor.on_job_end({"requeue", true, false}, stage.moment()));
    ck_assert(stage.status == 75 && stage.launches.size() == 1 && !stage.asked<act::Requeue>());
    ck_assert(stage.said("told to end by SIGTERM (requeue): all ranks left after step 660, which is committed; the job is "
                         "requeued and goes on with step 661"));
}
END_TEST

START_TEST(ranks_that_slurm_told_itself_end_the_run_too)
{
    Stage stage;
    stage.train(0, 650, 600);
    leave_as_told(stage, 660, SIGUSR2);
    stage.end_srun(0);
    stage.pass(1500);
    ck_assert(stage.status == 75 && stage.launches.size() == 1);
    ck_assert(stage.said("told to end by SIGUSR2: all ranks left after step 660") &&
              stage.said("the job's next run goes on with step 661"));
}
END_TEST

START_TEST(a_job_that_is_preempted_with_time_to_end_is_requeued_before_it_ends)
{
    Stage stage;
    stage.train(0, 650, 600);
    leave_as_told(stage, 660, SIGTERM);
    stage.pass(100);
    ck_assert(stage.asked<act::AskJobEnd>());
    stage.collect(stage.supervisor.on_job_end({"preemption", false, true}, stage.moment()));
    stage.end_srun(0);
    stage.pass(100);
    ck_assert(stage.asked<act::Requeue>() && stage.status == 75 && stage.said("the job is requeued and goes on with step 661"));
}
END_TEST

START_TEST(a_program_that_was_done_before_is_done)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.send(SIGTERM);
    leave_as_told(stage, 660, SIGTERM);
    stage.view.ranks.least_step = 655;
    stage.end_srun(0);
    stage.pass(100);
    ck_assert(stage.status == 0);
}
END_TEST

START_TEST(ranks_that_end_before_their_last_snapshot_are_not_begun_anew)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.send(SIGTERM);
    stage.view.end = ToldEnd{SIGTERM, 660};
    stage.end_srun(137);
    stage.pass(1500);
    ck_assert(stage.status == 137 && stage.launches.size() == 1);
    ck_assert(stage.said("the ranks ended with exit code 137 before a last snapshot; step 600 is committed: the job's next run "
                         "goes on with step 601"));
}
END_TEST

/// Slurm sends SIGTERM to the other ranks of a step when one of them has failed.
START_TEST(ranks_that_slurm_ends_for_one_that_failed_are_begun_anew)
{
    for (const bool answers : {true, false}) {
        Stage stage;
        stage.train(0, 650, 600);
        stage.view.end = ToldEnd{SIGTERM, std::nullopt};
        stage.pass(100);
        ck_assert(stage.asked<act::AskJobEnd>());
        stage.end_srun(137);
        if (answers) stage.collect(stage.supervisor.on_job_end({}, stage.moment()));
        stage.pass(1500);
        ck_assert(!stage.status && stage.launches.size() == 2);
        ck_assert(stage.said("the program ended with exit code 137"));
    }
}
END_TEST

START_TEST(ranks_that_slurm_ends_with_the_job_are_not_begun_anew)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.view.end = ToldEnd{SIGTERM, std::nullopt};
    stage.pass(100);
    stage.end_srun(143);
    stage.collect(stage.supervisor.on_job_end({"time limit", false, false}, stage.moment()));
    stage.pass(1500);
    ck_assert(stage.status == 143 && stage.launches.size() == 1);
}
END_TEST

START_TEST(a_step_that_is_fenced_for_a_dead_node_goes_on_although_its_ranks_had_a_signal)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.die("n2");
    stage.pass(100);
    stage.view.end = ToldEnd{SIGTERM, std::nullopt};
    stage.pass(100);
    stage.end_srun(143);
    stage.pass(1500);
    ck_assert(!stage.status && stage.launches.size() == 2);
}
END_TEST

START_TEST(a_program_that_goes_on_where_it_was_to_leave_is_given_the_signal_once)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.send(SIGTERM);
    stage.view.end = ToldEnd{SIGTERM, 660};
    stage.pass(100);
    ck_assert(!stage.asked<act::EndStep>());
    stage.view.ranks.least_step = 661;
    stage.pass(100);
    ck_assert(stage.asked<act::EndStep>());
    stage.pass(100);
    ck_assert(!stage.asked<act::EndStep>());
}
END_TEST

START_TEST(ranks_that_wait_for_their_last_commit_are_not_called_hung)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.view.end = ToldEnd{SIGTERM, 650};
    stage.pass(60000);
    ck_assert(stage.launches.size() == 1 && !stage.said("stood still"));
}
END_TEST

START_TEST(a_wish_to_end_between_two_runs_ends_at_once)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.end_srun(3);
    stage.send(SIGTERM);
    ck_assert(stage.status == 143);
}
END_TEST

START_TEST(what_becomes_of_a_training_without_a_snapshot_is_told)
{
    const std::string text = describe({SIGTERM, {"time limit", false, false}, std::nullopt, std::nullopt, 137});
    ck_assert_str_eq(text.c_str(), "told to end by SIGTERM (time limit): the ranks ended with exit code 137 before a last "
                                   "snapshot; no snapshot is committed: the job's next run begins at the beginning");
}
END_TEST

START_TEST(slurmctld_s_answer_is_read_and_none_is_no_cause)
{
    ck_assert(read_job_end({{"cause", "preemption"}, {"requeued", false}, {"requeues", true}}) ==
              (JobEnd{"preemption", false, true}));
    ck_assert(read_job_end({{"error", "no answer"}}) == (JobEnd{"", false, false, false}));
}
END_TEST

Suite* run_end_suite()
{
    Suite* suite = suite_create("run_end");
    TCase* tests = tcase_create("run_end");
    tcase_add_test(tests, ranks_that_save_are_told_and_get_no_signal);
    tcase_add_test(tests, a_program_without_ranks_is_given_the_signal);
    tcase_add_test(tests, a_run_that_left_as_told_is_to_be_tried_again_from_its_last_step);
    tcase_add_test(tests, ranks_that_slurm_told_itself_end_the_run_too);
    tcase_add_test(tests, a_job_that_is_preempted_with_time_to_end_is_requeued_before_it_ends);
    tcase_add_test(tests, a_program_that_was_done_before_is_done);
    tcase_add_test(tests, ranks_that_end_before_their_last_snapshot_are_not_begun_anew);
    tcase_add_test(tests, ranks_that_slurm_ends_for_one_that_failed_are_begun_anew);
    tcase_add_test(tests, ranks_that_slurm_ends_with_the_job_are_not_begun_anew);
    tcase_add_test(tests, a_step_that_is_fenced_for_a_dead_node_goes_on_although_its_ranks_had_a_signal);
    tcase_add_test(tests, a_program_that_goes_on_where_it_was_to_leave_is_given_the_signal_once);
    tcase_add_test(tests, ranks_that_wait_for_their_last_commit_are_not_called_hung);
    tcase_add_test(tests, a_wish_to_end_between_two_runs_ends_at_once);
    tcase_add_test(tests, what_becomes_of_a_training_without_a_snapshot_is_told);
    tcase_add_test(tests, slurmctld_s_answer_is_read_and_none_is_no_cause);
    suite_add_tcase(suite, tests);
    return suite;
}
