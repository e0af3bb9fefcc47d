// What `mscale run` says while it waits for a mscaled that gives no answer.
#include "cli/run/supervisor.hpp"
#include "tests/unit/check.hpp"
#include "tests/unit/cli/run_stage.hpp"
#include "tests/unit/cli/suites.hpp"

using namespace mscale;
using namespace mscale::cli;

START_TEST(a_start_that_waits_for_a_silent_node_names_it_after_5_s_and_once)
{
    Stage stage;
    stage.view.ranks = {0, 0, 1, 0, 0, milliseconds(0), ""};
    stage.view.silent = {"n2", "n3"};
    stage.pass(4500);
    ck_assert(stage.words.empty());
    stage.pass(1000);
    ck_assert(stage.said("the run waits for its ranks on n2: mscaled there wasn't heard for 5 s"));
    stage.words.clear();
    stage.pass(5000);
    ck_assert(stage.words.empty());
}
END_TEST

START_TEST(a_node_that_is_silent_while_its_ranks_train_isn_t_waited_for)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.view.silent = {"n2"};
    for (int i = 0; i < 100; ++i) {
        ++stage.view.ranks.least_step;
        stage.pass(100);
    }
    ck_assert(stage.words.empty());
}
END_TEST

START_TEST(an_own_mscaled_that_gives_no_answer_is_told_once_for_each_silence)
{
    Stage stage;
    stage.pass(1000);
    for (int i = 0; i < 100; ++i) {
        stage.now += 100;
        stage.collect(stage.supervisor.on_time(stage.moment()));
    }
    const std::string wanted = "mscaled of this node hasn't answered for 5 s";
    ck_assert(stage.words.starts_with(wanted) && stage.words.find(wanted, 1) == std::string::npos);
}
END_TEST

Suite* run_silence_suite()
{
    Suite* suite = suite_create("run_silence");
    TCase* tests = tcase_create("run_silence");
    tcase_add_test(tests, a_start_that_waits_for_a_silent_node_names_it_after_5_s_and_once);
    tcase_add_test(tests, a_node_that_is_silent_while_its_ranks_train_isn_t_waited_for);
    tcase_add_test(tests, an_own_mscaled_that_gives_no_answer_is_told_once_for_each_silence);
    suite_add_tcase(suite, tests);
    return suite;
}
