// What a lost port, drive or GPU makes of the contract.
#include "tests/unit/daemon/reports.hpp"

using namespace mscale;
using namespace mscale::daemon;
using contract::State;

START_TEST(a_port_that_is_down_is_a_breach_that_ends_nothing)
{
    ContractState state = whole_job();
    Report report = report_of("n2");
    report.lost = {{{PartKind::port, "mlx5_0:1", "rdma.port"}, "DOWN", "TCP", WayBack::reroute}};
    state.add(report, start);
    expect_text(judged(state),
                "mscale: state=breached node=n2 lost=port promised=mlx5_0:1 found=DOWN other=TCP");
    ck_assert(state.judge(start, deadline).action == Action::none);
}
END_TEST

START_TEST(a_drive_with_another_in_its_place_is_recovering_where_mscale_run_brings_the_ranks_back)
{
    ContractState state = whole_job();
    Report report = report_of("n2");
    report.lost = {{{PartKind::disk, "nvme0n1 (S1)", "role.a.disk"}, "absent", "nvme1n1 (S2)", WayBack::relaunch}};
    state.add(report, start);
    state.attend(true);
    expect_text(judged(state), "mscale: state=recovering node=n2 lost=drive promised=nvme0n1_(S1) found=absent "
                               "other=nvme1n1_(S2)");
    state.attend(false);
    ck_assert(state.judge(start, deadline).comment.state == State::breached);
    ck_assert(state.judge(start, deadline).action == Action::none);
    report.lost.clear();
    state.add(report, start);
    expect_text(judged(state), "mscale: state=honoured nodes=3");
}
END_TEST

START_TEST(a_drive_that_nothing_replaces_does_what_the_contract_says_before_what_is_outlived)
{
    ContractState state = whole_job();
    Report port = report_of("n1"), drive = report_of("n3");
    port.lost = {{{PartKind::port, "mlx5_0:1", "rdma.port"}, "DOWN", "TCP", WayBack::reroute}};
    drive.lost = {{{PartKind::disk, "nvme0n1", "role.a.disk"}, "absent", "", WayBack::breach}};
    drive.on_breach = contract::OnBreach::requeue;
    state.add(port, start);
    state.add(drive, start);
    expect_text(judged(state), "mscale: state=breached node=n3 lost=drive promised=nvme0n1 found=absent");
    ck_assert(state.judge(start, deadline).action == Action::requeue);
}
END_TEST

START_TEST(a_gpu_that_failed_is_recovering_under_mscale_run_and_else_does_what_the_contract_says)
{
    ContractState state = whole_job();
    Report report = report_of("n2");
    report.lost = {{{PartKind::gpu, "0000:1b:00.0", "gpu"}, "Xid 79", "", WayBack::leave}};
    state.add(report, start);
    state.attend(true);
    expect_text(judged(state), "mscale: state=recovering node=n2 lost=GPU promised=0000:1b:00.0 found=Xid_79");
    ck_assert(state.judge(start, deadline).action == Action::none);
    state.attend(false);
    ck_assert(state.judge(start, deadline).comment.state == State::breached);
    ck_assert(state.judge(start, deadline).action == Action::cancel);
    report.lost.front().way = WayBack::relaunch;
    state.add(report, start);
    ck_assert(state.judge(start, deadline).action == Action::cancel);
}
END_TEST

START_TEST(a_stepd_that_is_gone_is_recovering_under_mscale_run_and_else_ends_even_a_job_that_only_warns)
{
    ContractState state = whole_job();
    Report report = report_of("n2");
    report.on_breach = contract::OnBreach::warn;
    report.lost = {{{PartKind::stepd, "7.0", ""}, "gone", "a new step", WayBack::relaunch}};
    state.add(report, start);
    state.attend(true);
    expect_text(judged(state), "mscale: state=recovering node=n2 lost=slurmstepd promised=7.0 found=gone other=a_new_step");
    ck_assert(state.judge(start, deadline).action == Action::none);
    state.attend(false);
    ck_assert(state.judge(start, deadline).comment.state == State::breached);
    ck_assert(state.judge(start, deadline).action == Action::cancel);
}
END_TEST

START_TEST(a_breach_that_is_outlived_hides_no_other_one)
{
    const contract::Comment port{State::breached, {{"lost", "port"}, {"other", "TCP"}, {"restarts", "0"}}};
    const Judgement drive{{State::breached, {{"lost", "drive"}, {"restarts", "0"}}}};
    const Judgement honoured{{State::honoured, {{"restarts", "0"}}}};
    ck_assert(may_follow(port, drive) && !may_follow(drive.comment, {port}) && !may_follow(port, honoured));
}
END_TEST

Suite* contract_losses_suite()
{
    return make_suite("contract_losses",
                      a_port_that_is_down_is_a_breach_that_ends_nothing,
                      a_drive_with_another_in_its_place_is_recovering_where_mscale_run_brings_the_ranks_back,
                      a_drive_that_nothing_replaces_does_what_the_contract_says_before_what_is_outlived,
                      a_gpu_that_failed_is_recovering_under_mscale_run_and_else_does_what_the_contract_says,
                      a_stepd_that_is_gone_is_recovering_under_mscale_run_and_else_ends_even_a_job_that_only_warns,
                      a_breach_that_is_outlived_hides_no_other_one);
}
