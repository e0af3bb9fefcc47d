// What `mscale run` makes of ranks that are gone while their nodes live.
#include <csignal>

#include "cli/run/supervisor.hpp"
#include "tests/unit/check.hpp"
#include "tests/unit/cli/run_stage.hpp"
#include "tests/unit/cli/suites.hpp"

using namespace mscale;
using namespace mscale::cli;

namespace {

/// A run of which a rank is gone, as the next answer of mscaled tells it.
void lose_rank(Stage& stage, int status = 0)
{
    stage.train(0, 650, 600);
    stage.view.gone = GoneRanks{1, status, {}};
    stage.pass(100);
}

void tell_why(Stage& stage, const JobEnd& end)
{
    stage.collect(stage.supervisor.on_job_end(end, stage.moment()));
}

} // namespace

START_TEST(the_others_are_ended_and_the_run_goes_on_once_all_nodes_have_answered)
{
    Stage stage;
    lose_rank(stage);
    ck_assert(stage.asked<act::AskJobEnd>() && !stage.asked<act::EndRanks>());
    tell_why(stage, {});
    ck_assert(stage.asked<act::EndRanks>() && stage.asked<act::FenceStep>());
    stage.end_srun(137);
    stage.view.gone->ended = {"n1", "n2"};
    stage.pass(100);
    ck_assert(stage.launches.size() == 2 && stage.said("the program ended with exit code 137 (signal 9) at step 650"));
}
END_TEST

START_TEST(ranks_that_slurm_has_told_to_end_for_the_lost_one_are_ended_too)
{
    Stage stage;
    lose_rank(stage);
    stage.view.end = ToldEnd{SIGTERM, std::nullopt};
    stage.pass(100);
    tell_why(stage, {});
    ck_assert(stage.asked<act::EndRanks>());
    stage.end_srun(143);
    stage.view.gone->ended = {"n1", "n2"};
    stage.pass(100);
    ck_assert(stage.launches.size() == 2);
}
END_TEST

START_TEST(the_first_one_s_code_stays_also_where_slurm_was_faster_to_end_the_others)
{
    Stage stage(0);
    lose_rank(stage, 3);
    stage.end_srun(143);
    stage.pass(5000);
    ck_assert(stage.status == 3 && stage.said("the program ended with exit code 3 at step 650"));
}
END_TEST

START_TEST(a_run_whose_ranks_are_refused_is_none_to_begin_anew)
{
    for (const auto& [srun, status] : {std::pair{143, 1}, std::pair{1, 1}, std::pair{5, 5}}) {
        Stage stage(10, true);
        stage.view.ranks = {0, 0, 2, 0, 0, milliseconds(0), ""};
        stage.view.refusal = RefusedRanks{0, 0, "MSC-R005: epoch 4: no copy of rank 1; a cure", 1};
        stage.pass(100);
        stage.end_srun(srun);
        stage.pass(100);
        ck_assert(stage.status == status && stage.launches.size() == 1 && !stage.said("program's own fault"));
        ck_assert(stage.said("ranks were refused, as another run's would be: MSC-R005: epoch 4: no copy of rank 1; a cure"));
        ck_assert(stage.verdict->outcome == Outcome::refused && stage.verdict->losses.size() == 1);
    }
}
END_TEST

START_TEST(an_earlier_run_s_refusal_ends_no_later_one)
{
    Stage stage;
    stage.view.refusal = RefusedRanks{0, 0, "MSC-R005: epoch 4", 1};
    Supervisor later(Stage::setup(10, true), stage.view);
    later.begin(stage.moment());
    stage.supervisor = std::move(later);
    stage.train(1, 650, 600);
    stage.end_srun(137);
    stage.pass(5000);
    ck_assert(!stage.status && stage.said("restart 1 of 10"));
}
END_TEST

START_TEST(ranks_of_a_job_that_is_to_end_may_save)
{
    for (const char* cause : {"scancel", "preemption", "time limit", "requeue"}) {
        Stage stage;
        lose_rank(stage);
        tell_why(stage, {cause});
        ck_assert(!stage.asked<act::EndRanks>() && !stage.asked<act::FenceStep>());
    }
}
END_TEST

START_TEST(a_run_that_was_told_to_end_ends_no_rank)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.send(SIGTERM);
    stage.view.gone = GoneRanks{1, 0, {}};
    stage.pass(100);
    tell_why(stage, {});
    ck_assert(!stage.asked<act::EndRanks>());
}
END_TEST

START_TEST(nothing_is_ended_while_slurmctld_is_silent)
{
    Stage stage;
    lose_rank(stage);
    tell_why(stage, {"", false, false, false});
    ck_assert(!stage.asked<act::EndRanks>());
    stage.pass(100);
    ck_assert(stage.asked<act::AskJobEnd>());
}
END_TEST

START_TEST(a_rank_that_failed_since_its_peer_s_node_died_blames_the_node)
{
    Stage stage;
    lose_rank(stage, 1);
    tell_why(stage, {});
    stage.end_srun(137);
    stage.view.gone->ended = {"n1"};
    stage.pass(500);
    ck_assert(stage.launches.size() == 1);
    stage.die("n2");
    stage.pass(100);
    ck_assert(stage.launches.back() == (std::vector<std::string>{"n1", "n3"}) && stage.said("n2 was lost"));
}
END_TEST

START_TEST(a_program_that_failed_by_itself_keeps_its_exit_code)
{
    Stage stage(1);
    for (std::uint32_t step_id : {0U, 1U}) {
        stage.train(step_id, 650, 600);
        stage.view.gone = GoneRanks{1, 3, {}};
        stage.pass(100);
        tell_why(stage, {});
        stage.end_srun(137);
        stage.view.gone->ended = {"n1", "n2"};
        stage.pass(100);
    }
    ck_assert(stage.status == 3 && stage.said("run 2: the program ended with exit code 3 at step 650"));
}
END_TEST

START_TEST(ranks_of_an_earlier_run_are_none_that_are_gone)
{
    Stage stage;
    lose_rank(stage);
    tell_why(stage, {});
    stage.end_srun(137);
    stage.view.gone->ended = {"n1", "n2"};
    stage.pass(100);
    stage.pass(500); // mscaled tells of the old run until a rank of the new one has joined
    ck_assert(stage.launches.size() == 2 && !stage.asked<act::AskJobEnd>());
}
END_TEST

START_TEST(a_step_whose_ranks_are_all_done_and_that_slurm_believes_to_run_is_ended_and_the_run_is_complete)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.leave(0);
    stage.view.done = 1;
    stage.pass(60000);
    ck_assert(!stage.asked<act::FenceStep>()); // the other does something after its training
    stage.view.done = 2;
    stage.pass(6200);
    ck_assert(stage.asked<act::FenceStep>() && stage.said("srun waits on: its step is ended"));
    stage.end_srun(137);
    stage.pass(3000);
    ck_assert(stage.status == 0 && stage.launches.size() == 1);
}
END_TEST

START_TEST(a_run_that_left_as_told_and_that_slurm_believes_to_run_has_left)
{
    Stage stage;
    stage.train(0, 650, 650);
    stage.view.end = ToldEnd{15, 650};
    stage.leave(0);
    stage.view.done = 2;
    stage.pass(6200);
    ck_assert(stage.asked<act::FenceStep>());
    stage.collect(stage.supervisor.on_job_end({"", false, false, true}, stage.moment()));
    stage.end_srun(137);
    stage.pass(3000);
    ck_assert(stage.status == 75 && stage.launches.size() == 1);
}
END_TEST

Suite* run_gone_suite()
{
    Suite* suite = suite_create("run_gone");
    TCase* tests = tcase_create("run_gone");
    tcase_add_test(tests, the_others_are_ended_and_the_run_goes_on_once_all_nodes_have_answered);
    tcase_add_test(tests, ranks_that_slurm_has_told_to_end_for_the_lost_one_are_ended_too);
    tcase_add_test(tests, the_first_one_s_code_stays_also_where_slurm_was_faster_to_end_the_others);
    tcase_add_test(tests, a_run_whose_ranks_are_refused_is_none_to_begin_anew);
    tcase_add_test(tests, an_earlier_run_s_refusal_ends_no_later_one);
    tcase_add_test(tests, ranks_of_a_job_that_is_to_end_may_save);
    tcase_add_test(tests, a_run_that_was_told_to_end_ends_no_rank);
    tcase_add_test(tests, nothing_is_ended_while_slurmctld_is_silent);
    tcase_add_test(tests, a_rank_that_failed_since_its_peer_s_node_died_blames_the_node);
    tcase_add_test(tests, a_program_that_failed_by_itself_keeps_its_exit_code);
    tcase_add_test(tests, ranks_of_an_earlier_run_are_none_that_are_gone);
    tcase_add_test(tests, a_step_whose_ranks_are_all_done_and_that_slurm_believes_to_run_is_ended_and_the_run_is_complete);
    tcase_add_test(tests, a_run_that_left_as_told_and_that_slurm_believes_to_run_has_left);
    suite_add_tcase(suite, tests);
    return suite;
}
