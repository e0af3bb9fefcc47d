// What a run leaves behind for scripts: the verdict, which no exit code tells.
#include <csignal>

#include "base/json.hpp"
#include "tests/unit/check.hpp"
#include "tests/unit/cli/run_stage.hpp"
#include "tests/unit/cli/suites.hpp"

using namespace mscale;
using namespace mscale::cli;

START_TEST(a_run_is_running_until_it_ends)
{
    Stage stage;
    ck_assert(stage.supervisor.verdict() == (RunVerdict{.job_id = 12}));
    stage.train(0, 650, 600);
    stage.leave(0);
    stage.end_srun(0);
    stage.pass(100);
    ck_assert(stage.verdict && stage.verdict->outcome == Outcome::complete && stage.verdict->losses.empty());
}
END_TEST

START_TEST(a_program_that_fails_twice_at_a_step_made_no_progress_whatever_srun_ends_with)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.end_srun(137);
    stage.pass(5000);
    stage.train(1, 650, 600);
    stage.end_srun(137);
    stage.pass(5000);
    ck_assert(stage.verdict && stage.verdict->outcome == Outcome::no_progress);
    ck_assert(stage.verdict->program_status == 137 && stage.verdict->restarts == 1 && stage.verdict->losses.size() == 2);
}
END_TEST

START_TEST(ranks_that_left_as_told_are_to_be_gone_on_with)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.send(SIGTERM);
    stage.view.ranks.least_step = 660;
    stage.view.end = ToldEnd{SIGTERM, 660};
    stage.view.committed_step = 660;
    stage.leave(0);
    stage.end_srun(0);
    stage.collect(stage.supervisor.on_job_end({"requeue", true, false}, stage.moment()));
    stage.pass(100);
    ck_assert(stage.verdict && stage.verdict->outcome == Outcome::left && stage.verdict->requeued);
    ck_assert(stage.verdict->status == 75 && stage.verdict->committed_step == 660U);
}
END_TEST

START_TEST(the_record_says_who_is_to_blame)
{
    RunVerdict verdict{.job_id = 12, .outcome = Outcome::out_of_restarts, .status = 1};
    verdict.losses.push_back({Cause::node, "n2", "silence", 650, 600, true});
    verdict.losses.push_back({Cause::program, "", "exit code 3", 0, std::nullopt, false});
    const std::string wanted =
        R"({"version":1,"job":12,"verdict":"out_of_restarts","status":1,"program_status":0,"requeued":false,)"
        R"("committed_step":null,"restarts":0,"losses":[)"
        R"({"cause":"node","node":"n2","what":"silence","step":650,"committed_step":600},)"
        R"({"cause":"program","node":"","what":"exit code 3","step":null,"committed_step":null}]})";
    const std::string written = to_json(verdict).dump();
    ck_assert_str_eq(written.c_str(), wanted.c_str());
}
END_TEST

Suite* run_verdict_suite()
{
    Suite* suite = suite_create("run_verdict");
    TCase* tests = tcase_create("run_verdict");
    tcase_add_test(tests, a_run_is_running_until_it_ends);
    tcase_add_test(tests, a_program_that_fails_twice_at_a_step_made_no_progress_whatever_srun_ends_with);
    tcase_add_test(tests, ranks_that_left_as_told_are_to_be_gone_on_with);
    tcase_add_test(tests, the_record_says_who_is_to_blame);
    suite_add_tcase(suite, tests);
    return suite;
}
