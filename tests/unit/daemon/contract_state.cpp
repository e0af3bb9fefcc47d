#include "base/json.hpp"
#include "tests/unit/daemon/reports.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;
using contract::Stage;
using contract::State;

START_TEST(a_contract_is_honoured_only_when_every_node_applied_it)
{
    ContractState state(12, start);
    state.add(report_of("n1"), start);
    state.add(report_of("n2"), start);
    ck_assert(state.judge(start, deadline).comment.state == State::accepted);
    state.add(report_of("n3", Stage::planned), start);
    ck_assert(state.judge(start, deadline).comment.state == State::accepted);
    state.add(report_of("n3"), start);
    expect_text(judged(state), "mscale: state=honoured nodes=3");
}
END_TEST

START_TEST(a_clause_that_is_not_enforced_leaves_the_state_at_granted_and_is_named)
{
    ContractState state = whole_job();
    Report report = report_of("n2");
    report.unenforced = {"gpu.sm", "gpu.memory"};
    state.add(report, start);
    expect_text(judged(state), "mscale: state=granted nodes=3 unenforced=gpu.memory,gpu.sm");
}
END_TEST

START_TEST(a_spill_that_fails_takes_the_promise_back_until_it_is_mended_and_ends_nothing)
{
    ContractState state = whole_job();
    Report report = report_of("n2");
    report.kept.spill_fault = "MSC-R018:writing_a_snapshot:_No_space_left_on_device";
    state.add(report, start);
    expect_text(judged(state), "mscale: state=granted nodes=3 unenforced=ft.spill "
                               "spill_fault=n2:MSC-R018:writing_a_snapshot:_No_space_left_on_device");
    ck_assert(state.judge(start, deadline).action == Action::none);
    report.kept.spill_fault.clear();
    report.kept.spilled = 400;
    state.add(report, start);
    expect_text(judged(state), "mscale: state=honoured nodes=3 spilled=400");
}
END_TEST

START_TEST(copies_that_lie_in_the_domain_of_their_rank_are_told_and_take_no_promise_back)
{
    ContractState state = whole_job();
    Report report = report_of("n2");
    report.kept.exposed = "s1";
    report.kept.short_grace = "37.0s_needed_of_30s_(KillWait)";
    state.add(report, start);
    expect_text(judged(state), "mscale: state=honoured nodes=3 exposed=s1 grace=37.0s_needed_of_30s_(KillWait)");
    ck_assert(report_from_json(to_json(report), "a report").value() == report);
    report.kept.exposed.clear();
    report.kept.short_grace.clear();
    state.add(report, start);
    expect_text(judged(state), "mscale: state=honoured nodes=3");
}
END_TEST

START_TEST(one_refusing_node_refuses_the_contract_and_nothing_is_cancelled_for_it)
{
    ContractState state = whole_job();
    Report report = report_of("n2", Stage::refused);
    report.refusals = {
        {Code::apply_hugepages, "role.a.hugepages", "2MiB*9", "none are free", "ask for less"}};
    state.add(report, start);
    expect_text(judged(state), "mscale: state=refused node=n2 code=MSC-S003 clause=role.a.hugepages");
    ck_assert(state.judge(start, deadline).action == Action::none);
}
END_TEST

START_TEST(a_step_that_was_refused_refuses_the_contract_of_nodes_that_applied)
{
    ContractState state = whole_job();
    Report report = report_of("n2");
    report.refused_step = "3";
    report.refusals = {{Code::too_few_cores, "role.a.cores", "4", "Slurm granted 1", "ask for more"}};
    state.add(report, start);
    expect_text(judged(state), "mscale: state=refused node=n2 step=3 code=MSC-V002 clause=role.a.cores");
    ck_assert(state.judge(start, deadline).action == Action::none);
}
END_TEST

START_TEST(silent_nodes_are_named_after_the_deadline_and_the_job_is_cancelled)
{
    ContractState state(12, start);
    state.add(report_of("n1"), start);
    ck_assert(state.judge(start + deadline, deadline).comment.state == State::accepted);
    const Judgement late = state.judge(start + deadline + 1ms, deadline);
    expect_text(contract::to_string(late.comment), "mscale: state=refused silent=n2,n3 code=MSC-N002");
    ck_assert(late.action == Action::cancel && late.by_silence);
}
END_TEST

START_TEST(a_judgement_of_silence_names_the_nodes)
{
    ContractState state(12, start);
    state.add(report_of("n1"), start);
    const Judgement late = state.judge(start + deadline + 1ms, deadline);
    ck_assert(late.silent == (std::vector<std::string>{"n2", "n3"}));
}
END_TEST

START_TEST(nodes_that_slurmctld_took_from_the_job_are_waited_for_no_more)
{
    ContractState state(12, start);
    state.add(report_of("n1"), start);
    state.add(report_of("n3", Stage::refused), start);
    state.replace_nodes({"n1"});
    expect_text(judged(state, start + 2 * deadline), "mscale: state=honoured nodes=1");
}
END_TEST

START_TEST(silence_says_nothing_once_the_state_is_settled)
{
    ContractState state(12, start);
    state.add(report_of("n1"), start);
    state.settle();
    ck_assert(state.judge(start + 10 * deadline, deadline).comment.state == State::accepted);
}
END_TEST

START_TEST(a_breach_carries_its_fact_and_does_what_the_contract_says)
{
    ContractState state = whole_job();
    Report report = report_of("n3");
    report.breach = Breach{{{"pid", "4711"}, {"role", "loader"}, {"promised", "0"}, {"found", "0-1"}}};
    state.add(report, start);
    expect_text(judged(state), "mscale: state=breached node=n3 pid=4711 role=loader promised=0 found=0-1");
    ck_assert(state.judge(start, deadline).action == Action::cancel);
    report.on_breach = contract::OnBreach::requeue;
    state.add(report, start);
    ck_assert(state.judge(start, deadline).action == Action::requeue);
    report.on_breach = contract::OnBreach::warn;
    state.add(report, start);
    ck_assert(state.judge(start, deadline).action == Action::none);
}
END_TEST

START_TEST(an_observed_job_is_never_refused_nor_cancelled)
{
    ContractState state(12, start);
    for (const char* node : {"n1", "n2", "n3"}) {
        Report report = report_of(node, Stage::planned);
        report.observe = true;
        report.breach = Breach{{{"pid", "1"}}};
        state.add(report, start);
    }
    expect_text(judged(state, start + 2 * deadline), "mscale: state=observed");
}
END_TEST

START_TEST(a_later_run_of_the_job_starts_anew_and_an_earlier_one_is_dropped)
{
    ContractState state = whole_job();
    Report again = report_of("n2");
    again.restarts = 1;
    again.started = 500;
    again.nodes = {"n2"};
    state.add(again, start);
    expect_text(judged(state), "mscale: state=honoured nodes=1");
    state.add(report_of("n1", Stage::refused), start);
    expect_text(judged(state), "mscale: state=honoured nodes=1");
}
END_TEST

START_TEST(a_judgement_carries_its_run_until_the_next_one_begins)
{
    ContractState state = whole_job();
    ck_assert(!state.judge(start, deadline).restarts);
    state.learn_run(2);
    ck_assert(state.judge(start, deadline).restarts == 2u);
    ck_assert_int_eq(state.judge(start, deadline).started, 100);
    Report again = report_of("n2");
    again.started = 500;
    state.add(again, start);
    ck_assert(!state.judge(start, deadline).restarts);
    ck_assert_int_eq(state.judge(start, deadline).started, 500);
}
END_TEST

START_TEST(a_node_that_can_not_read_its_ledger_speaks_for_the_run_that_is_known)
{
    ContractState state = whole_job();
    state.learn_run(0);
    Report report = report_of("n2", Stage::refused);
    report.started = 0;
    report.refusals = {{Code::ledger, "contract", "", "torn", ""}};
    state.add(report, start);
    expect_text(judged(state), "mscale: state=refused node=n2 code=MSC-S001 clause=contract");
    ck_assert(state.judge(start, deadline).restarts == 0u);
    state.add(report_of("n2"), start);
    expect_text(judged(state), "mscale: state=honoured nodes=3");
    ck_assert(state.judge(start, deadline).restarts == 0u);
}
END_TEST

START_TEST(one_state_of_two_runs_is_posted_twice)
{
    const Judgement first{{State::honoured, {}}, Action::none, false, 100, {}};
    Judgement learned = first, next = first;
    learned.restarts = 0;
    next.started = 500;
    ck_assert(is_same_post(first, learned));
    ck_assert(!is_same_post(first, next));
}
END_TEST

START_TEST(the_writer_is_the_first_node_that_lives)
{
    expect_text(choose_writer({"n1", "n2", "n3"}, {}), "n1");
    expect_text(choose_writer({"n1", "n2", "n3"}, {"n2", "n1"}), "n3");
    expect_text(choose_writer({"n1"}, {"n1"}), "");
}
END_TEST

START_TEST(within_one_run_nothing_follows_a_refusal_and_only_recovery_a_breach)
{
    const Judgement honoured{{State::honoured, {{"restarts", "0"}}}};
    const Judgement recovering{{State::recovering, {{"restarts", "0"}}}};
    ck_assert(!may_follow({State::refused, {{"restarts", "0"}}}, honoured));
    ck_assert(!may_follow({State::breached, {{"restarts", "0"}}}, honoured));
    ck_assert(may_follow({State::breached, {{"restarts", "0"}}}, recovering));
    ck_assert(may_follow({State::accepted, {}}, honoured));
}
END_TEST

START_TEST(a_requeued_job_may_leave_its_refusal_behind)
{
    ck_assert(may_follow({State::refused, {}}, {{State::honoured, {{"restarts", "1"}}}}));
}
END_TEST

START_TEST(silence_takes_no_granted_contract_back)
{
    const Judgement silent{{State::refused, {{"restarts", "0"}}}, Action::cancel, true};
    ck_assert(!may_follow({State::honoured, {}}, silent));
    ck_assert(!may_follow({State::granted, {}}, silent));
    ck_assert(may_follow({State::accepted, {}}, silent));
}
END_TEST

Suite* contract_state_suite()
{
    return make_suite("contract_state",
                      a_contract_is_honoured_only_when_every_node_applied_it,
                      a_clause_that_is_not_enforced_leaves_the_state_at_granted_and_is_named,
                      a_spill_that_fails_takes_the_promise_back_until_it_is_mended_and_ends_nothing,
                      copies_that_lie_in_the_domain_of_their_rank_are_told_and_take_no_promise_back,
                      one_refusing_node_refuses_the_contract_and_nothing_is_cancelled_for_it,
                      a_step_that_was_refused_refuses_the_contract_of_nodes_that_applied,
                      silent_nodes_are_named_after_the_deadline_and_the_job_is_cancelled,
                      a_judgement_of_silence_names_the_nodes,
                      nodes_that_slurmctld_took_from_the_job_are_waited_for_no_more,
                      silence_says_nothing_once_the_state_is_settled,
                      a_breach_carries_its_fact_and_does_what_the_contract_says,
                      an_observed_job_is_never_refused_nor_cancelled,
                      a_later_run_of_the_job_starts_anew_and_an_earlier_one_is_dropped,
                      a_judgement_carries_its_run_until_the_next_one_begins,
                      a_node_that_can_not_read_its_ledger_speaks_for_the_run_that_is_known,
                      one_state_of_two_runs_is_posted_twice,
                      the_writer_is_the_first_node_that_lives,
                      within_one_run_nothing_follows_a_refusal_and_only_recovery_a_breach,
                      a_requeued_job_may_leave_its_refusal_behind,
                      silence_takes_no_granted_contract_back);
}
