// A node of a `mscale run` that lives on without one of its devices.
#include <csignal>

#include "cli/run/supervisor.hpp"
#include "tests/unit/check.hpp"
#include "tests/unit/cli/run_stage.hpp"
#include "tests/unit/cli/suites.hpp"

using namespace mscale;
using namespace mscale::cli;

namespace {

using Nodes = std::vector<std::string>;

LostPart lost_on(const char* node, const char* way)
{
    return {node, "drive", "nvme0n1 (S1)", way, "drive nvme0n1 (S1) is absent, nvme1n1 (S2) takes its place",
            milliseconds(1000100), milliseconds(1002600)};
}

} // namespace

START_TEST(a_lost_port_is_told_once_and_the_training_goes_on)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.view.lost = {{"n2", "port", "mlx5_0:1", "reroute", "port mlx5_0:1 is DOWN, snapshots go by TCP",
                        milliseconds(1000100), milliseconds(1002600)}};
    stage.pass(1000);
    ck_assert(stage.said("n2: port mlx5_0:1 is DOWN, snapshots go by TCP; the training goes on"));
    ck_assert(stage.timelines == 1 && stage.launches.size() == 1 && !stage.asked<act::FenceStep>());
}
END_TEST

START_TEST(ranks_whose_drive_is_gone_begin_again_on_the_same_nodes)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.view.lost = {lost_on("n2", "relaunch")};
    stage.pass(100);
    ck_assert(stage.asked<act::FenceStep>() && stage.launches.size() == 1);
    stage.end_srun(137);
    ck_assert(stage.launches.back() == (Nodes{"n1", "n2"}));
    ck_assert(stage.said("n2 lost a part at step 650: drive nvme0n1 (S1) is absent, nvme1n1 (S2) takes its place"));
    ck_assert(stage.said("restart 1 of 10 on the same nodes, going on with step 601"));
    stage.train(1, 1000, 900);
    ck_assert(stage.timelines == 1 && stage.launches.size() == 2);
}
END_TEST

START_TEST(a_rank_that_fails_for_want_of_its_drive_is_not_to_blame)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.end_srun(1);
    stage.view.lost = {lost_on("n1", "relaunch")};
    stage.pass(100);
    ck_assert(stage.said("n1 lost a part at step 650") && !stage.said("the program ended"));
    ck_assert(stage.launches.back() == (Nodes{"n1", "n2"}));
}
END_TEST

START_TEST(ranks_whose_node_has_no_other_gpu_go_to_the_spare)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.view.lost = {lost_on("n2", "leave")};
    stage.pass(100);
    stage.end_srun(137);
    ck_assert(stage.launches.back() == (Nodes{"n1", "n3"}) && stage.said("with n3 in place of n2, going on with step 601"));
    stage.train(1, 1000, 900);
    stage.die("n3");
    stage.pass(100);
    stage.end_srun(137);
    ck_assert(stage.launches.size() == 2 && stage.said("2 nodes are needed and 1 is left: n1"));
}
END_TEST

START_TEST(what_a_spare_or_the_contract_s_on_breach_lost_ends_no_run)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.view.lost = {lost_on("n3", "relaunch"), lost_on("n1", "breach")};
    stage.pass(1000);
    ck_assert(!stage.asked<act::FenceStep>() && stage.words.empty());
}
END_TEST

START_TEST(a_loss_of_the_run_before_ends_no_later_one)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.die("n2");
    stage.pass(100);
    stage.view.lost = {lost_on("n1", "relaunch")};
    stage.pass(100);
    stage.end_srun(137);
    stage.train(1, 1000, 900);
    ck_assert(stage.launches.size() == 2 && !stage.said("lost a part"));
}
END_TEST

START_TEST(a_node_without_another_gpu_is_left_also_when_the_program_failed_first)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.end_srun(1);
    stage.view.lost = {lost_on("n1", "leave")};
    stage.pass(100);
    ck_assert(stage.launches.back() == (Nodes{"n2", "n3"}));
}
END_TEST

START_TEST(a_run_that_is_told_to_end_waits_for_its_ranks_and_not_for_a_slurmstepd_that_is_gone)
{
    Stage stage;
    stage.train(0, 650, 600);
    stage.send(SIGTERM);
    stage.view.lost = {{"n2", "slurmstepd", "12.0", "relaunch", "slurmstepd 12.0 is gone, a new step takes its place",
                        milliseconds(1000100), milliseconds(1002600)}};
    stage.pass(1000);
    ck_assert(!stage.asked<act::FenceStep>()); // they may still save
    stage.view.gone = GoneRanks{1, 0, {}};
    stage.pass(100);
    ck_assert(stage.asked<act::FenceStep>());
    stage.end_srun(137);
    stage.collect(stage.supervisor.on_job_end({"", false, false, true}, stage.moment()));
    stage.pass(5000);
    ck_assert(stage.status == 137 && stage.launches.size() == 1 && stage.verdict->outcome == Outcome::ended);
}
END_TEST

Suite* run_parts_suite()
{
    Suite* suite = suite_create("run_parts");
    TCase* tests = tcase_create("run_parts");
    tcase_add_test(tests, a_lost_port_is_told_once_and_the_training_goes_on);
    tcase_add_test(tests, ranks_whose_drive_is_gone_begin_again_on_the_same_nodes);
    tcase_add_test(tests, a_rank_that_fails_for_want_of_its_drive_is_not_to_blame);
    tcase_add_test(tests, ranks_whose_node_has_no_other_gpu_go_to_the_spare);
    tcase_add_test(tests, what_a_spare_or_the_contract_s_on_breach_lost_ends_no_run);
    tcase_add_test(tests, a_node_without_another_gpu_is_left_also_when_the_program_failed_first);
    tcase_add_test(tests, a_loss_of_the_run_before_ends_no_later_one);
    tcase_add_test(tests, a_run_that_is_told_to_end_waits_for_its_ranks_and_not_for_a_slurmstepd_that_is_gone);
    suite_add_tcase(suite, tests);
    return suite;
}
