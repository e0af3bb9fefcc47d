// What ranks that save, or do not, make of the contract.
#include "tests/unit/daemon/reports.hpp"

using namespace mscale;
using namespace mscale::daemon;
using contract::State;

namespace {

/// A job of three nodes that promises a first save within 10 s.
ContractState promising_job(KeptState kept)
{
    kept.first_save = 10000;
    ContractState state(12, start);
    for (const char* node : {"n1", "n2", "n3"}) {
        Report report = report_of(node);
        report.kept = kept;
        if (report.node != "n1")
            report.kept.registered = report.kept.saved = 0; // one rank, on the first node
        state.add(report, start);
    }
    return state;
}

constexpr std::chrono::seconds before_deadline{9}, after_deadline{11};

} // namespace

START_TEST(nobody_registers_state_within_the_time_of_the_first_save)
{
    const ContractState state = promising_job({.step_began = true});
    expect_text(judged(state, start + before_deadline), "mscale: state=honoured nodes=3");
    expect_text(judged(state, start + after_deadline),
                "mscale: state=breached code=MSC-R017 reason=no_rank_has_registered_state");
    ck_assert(state.judge(start + after_deadline, deadline).action == Action::none);
}
END_TEST

START_TEST(the_first_snapshot_is_told_at_once_and_later_ones_now_and_then)
{
    ContractState state = promising_job({.registered = 1, .saved = 1, .committed = 10, .step_began = true});
    expect_text(judged(state), "mscale: state=honoured nodes=3 snapshot=10");
    Report report = report_of("n1");
    report.kept = {.first_save = 10000, .registered = 1, .saved = 1, .committed = 20, .step_began = true};
    state.add(report, start + std::chrono::minutes(9));
    expect_text(judged(state), "mscale: state=honoured nodes=3 snapshot=10");
    state.add(report, start + std::chrono::minutes(10));
    expect_text(judged(state), "mscale: state=honoured nodes=3 snapshot=20");
}
END_TEST

START_TEST(a_snapshot_that_was_told_stays_told_over_the_runs_of_a_job)
{
    const contract::Comment told{State::honoured, {{"snapshot", "10"}}}, next{State::accepted, {{"restarts", "1"}}};
    const contract::Comment newer{State::honoured, {{"snapshot", "20"}}};
    ck_assert(told_snapshot(carry_snapshot(told, next)) == 10U);
    ck_assert(told_snapshot(carry_snapshot(told, newer)) == 20U);
    ck_assert(carry_snapshot(next, next) == next && !told_snapshot(next));
    ck_assert(!told_snapshot({State::honoured, {{"snapshot", "1x"}}}));
}
END_TEST

START_TEST(nobody_has_registered_state_by_the_end_of_the_first_step)
{
    expect_text(judged(promising_job({.step_began = true, .step_ended = true})),
                "mscale: state=breached code=MSC-R017 reason=no_rank_has_registered_state");
    ContractState short_job = promising_job({.step_began = true}), cancelled = promising_job({});
    short_job.end();
    cancelled.end();
    expect_text(judged(short_job),
                "mscale: state=breached code=MSC-R017 reason=no_rank_has_registered_state");
    expect_text(judged(cancelled), "mscale: state=honoured nodes=3");
}
END_TEST

START_TEST(a_rank_registers_and_never_saves)
{
    const ContractState state =
        promising_job({.registered = 2, .saved = 1, .step_began = true, .step_ended = true});
    expect_text(judged(state, start + before_deadline), "mscale: state=honoured nodes=3");
    expect_text(judged(state, start + after_deadline),
                "mscale: state=breached code=MSC-R017 reason=a_rank_has_saved_nothing");
    const ContractState kept = promising_job({.registered = 2, .saved = 2, .step_began = true});
    expect_text(judged(kept, start + after_deadline), "mscale: state=honoured nodes=3");
    ck_assert(kept.promises_snapshots() && !whole_job().promises_snapshots());
}
END_TEST

START_TEST(what_the_program_alone_broke_it_may_mend)
{
    const contract::Comment unkept{State::breached, {{"code", "MSC-R017"}, {"restarts", "0"}}};
    ck_assert(may_follow(unkept, {{State::honoured, {{"restarts", "0"}}}}));
}
END_TEST

Suite* contract_saves_suite()
{
    return make_suite("contract_saves",
                      nobody_registers_state_within_the_time_of_the_first_save,
                      the_first_snapshot_is_told_at_once_and_later_ones_now_and_then,
                      a_snapshot_that_was_told_stays_told_over_the_runs_of_a_job,
                      nobody_has_registered_state_by_the_end_of_the_first_step,
                      a_rank_registers_and_never_saves,
                      what_the_program_alone_broke_it_may_mend);
}
