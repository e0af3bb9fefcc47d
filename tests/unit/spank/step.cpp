#include "spank/step.hpp"

#include "base/json.hpp"
#include "contract/kept_job.hpp"
#include "contract/refused_file.hpp"
#include "tests/unit/spank/fake_slurm.hpp"
#include "tests/unit/spank/site_directory.hpp"
#include "tests/unit/spank/suites.hpp"

using namespace mscale;
using namespace mscale::spank;
using Stage = StepState::Stage;

static FakeSlurm remote_step()
{
    FakeSlurm slurm;
    slurm.where = Context::remote;
    slurm.facts = {12, 0, 1001, 2, "0-3", "0-1"};
    return slurm;
}

static contract::LedgerRecord applied_ledger()
{
    contract::LedgerRecord record;
    record.job_id = 12;
    record.uid = 1001;
    record.stage = contract::Stage::applied;
    record.contract = "role.loader.cores=1";
    return record;
}

static StepState learn(FakeSlurm& slurm, const SiteDirectory& site)
{
    StepState step;
    ck_assert(learn_step(slurm, step, site.arguments, nullptr) == Decision::go_on);
    return step;
}

static std::string reasons(const StepState& step)
{
    return contract::to_text(step.refusals);
}

#define assert_refused(step, words)                                                                          \
    ck_assert_msg((step).stage == Stage::refused && reasons(step).find(words) != std::string::npos, "%s",    \
                  reasons(step).c_str())

START_TEST(a_job_without_a_ledger_has_no_contract)
{
    SiteDirectory site;
    auto slurm = remote_step();
    ck_assert(learn(slurm, site).stage == Stage::none);
}
END_TEST

START_TEST(the_plan_of_mscale_node_is_kept)
{
    SiteDirectory site;
    site.write_ledger(applied_ledger());
    contract::StepRecord record;
    record.plan.workers.resize(2);
    record.plan.workers[1].main = CpuSet({3});
    site.write("answer", contract::to_json(record).dump());
    site.write_node_program("cat answer");
    auto slurm = remote_step();
    const auto step = learn(slurm, site);
    ck_assert_msg(step.stage == Stage::planned, "%s", reasons(step).c_str());
    ck_assert(step.record == record);
}
END_TEST

START_TEST(mscale_node_is_told_the_step_as_slurm_granted_it)
{
    SiteDirectory site;
    site.write_ledger(applied_ledger());
    site.write_node_program("exit 1");
    auto slurm = remote_step();
    learn(slurm, site);
    const auto input = parse_json(site.read("input"), "input");
    ck_assert(input.has_value());
    ck_assert_int_eq((*input)["job"].get<int>(), 12);
    ck_assert_int_eq((*input)["uid"].get<int>(), 1001);
    ck_assert_int_eq((*input)["tasks"].get<int>(), 2);
    expect_text((*input)["job_cores"].get<std::string>(), "0-3");
    expect_text((*input)["step_cores"].get<std::string>(), "0-1");
    ck_assert(parse_cpu_list((*input)["affinity"].get<std::string>()).has_value());
}
END_TEST

START_TEST(the_refusals_of_apply_refuse_every_task)
{
    SiteDirectory site;
    auto record = applied_ledger();
    record.stage = contract::Stage::refused;
    record.refusals = {
        {Code::apply_hugepages, "role.loader.hugepages", "2MiB*4", "node 0 has 1", "ask for 1"},
        {Code::credential, "contract", "", "no credential", ""}};
    site.write_ledger(record);
    auto slurm = remote_step();
    const auto step = learn(slurm, site);
    assert_refused(step, "node 0 has 1");
    assert_refused(step, "no credential");
}
END_TEST

START_TEST(an_observed_contract_refuses_nothing)
{
    SiteDirectory site;
    auto record = applied_ledger();
    record.observe = true;
    record.stage = contract::Stage::refused;
    site.write_ledger(record);
    auto slurm = remote_step();
    ck_assert(learn(slurm, site).stage == Stage::none);
}
END_TEST

START_TEST(a_crash_of_mscale_node_refuses_the_tasks)
{
    SiteDirectory site;
    site.write_ledger(applied_ledger());
    site.write_node_program("kill -SEGV $$");
    auto slurm = remote_step();
    assert_refused(learn(slurm, site), "signal 11");
}
END_TEST

START_TEST(a_hang_of_mscale_node_refuses_the_tasks)
{
    SiteDirectory site;
    site.write_ledger(applied_ledger());
    site.write_node_program("sleep 300");
    auto slurm = remote_step();
    assert_refused(learn(slurm, site), "didn't end within 1 s");
}
END_TEST

START_TEST(an_answer_that_is_garbage_refuses_the_tasks)
{
    for (const char* answer :
         {"garbage", "{}", "[]", "null", "{\"plan\":{\"workers\":[{\"main\":\"9-0\"}]}}", ""}) {
        SiteDirectory site;
        site.write_ledger(applied_ledger());
        site.write("answer", answer);
        site.write_node_program("cat answer");
        auto slurm = remote_step();
        assert_refused(learn(slurm, site), "an answer that can't be read: mscale-node step");
    }
}
END_TEST

START_TEST(what_a_failed_prolog_left_counts_before_an_old_ledger)
{
    SiteDirectory site;
    site.write_ledger(applied_ledger());
    ck_assert(
        contract::write_refused_file(site.jobs(), 12, {{Code::deadline, "contract", "", "too late", ""}})
            .has_value());
    auto slurm = remote_step();
    assert_refused(learn(slurm, site), "too late");
}
END_TEST

START_TEST(a_ledger_that_is_unfinished_or_over_refuses_the_tasks)
{
    for (const auto stage :
         {contract::Stage::planned, contract::Stage::releasing, contract::Stage::released}) {
        SiteDirectory site;
        auto record = applied_ledger();
        record.stage = stage;
        site.write_ledger(record);
        auto slurm = remote_step();
        ck_assert(learn(slurm, site).stage == Stage::refused);
    }
}
END_TEST

START_TEST(a_torn_ledger_refuses_the_tasks)
{
    SiteDirectory site;
    site.write_ledger(applied_ledger());
    site.write("state/jobs/12.json", "{\"job_id\": 1");
    auto slurm = remote_step();
    ck_assert(learn(slurm, site).stage == Stage::refused);
}
END_TEST

START_TEST(the_ledger_of_another_users_job_is_not_followed)
{
    SiteDirectory site;
    auto record = applied_ledger();
    record.uid = 1002;
    site.write_ledger(record);
    auto slurm = remote_step();
    ck_assert(learn(slurm, site).stage == Stage::none);
}
END_TEST

START_TEST(a_claimed_contract_without_a_ledger_refuses_the_tasks)
{
    SiteDirectory site;
    auto by_variable = remote_step();
    by_variable.environment["MSCALE_JOB"] = "submitted";
    assert_refused(learn(by_variable, site), "no ledger");
    auto by_step = remote_step();
    by_step.environment["MSCALE_JOB"] = "12";
    assert_refused(learn(by_step, site), "no ledger");
    auto of_outer_job = remote_step();
    of_outer_job.environment["MSCALE_JOB"] = "11";
    ck_assert(learn(of_outer_job, site).stage == Stage::none);
    StepState step;
    step.option_seen = true;
    auto by_option = remote_step();
    ck_assert(learn_step(by_option, step, site.arguments, nullptr) == Decision::go_on);
    assert_refused(step, "no ledger");
    by_option.environment["SLURM_HET_SIZE"] = "2";
    ck_assert(learn_step(by_option, step, site.arguments, nullptr) == Decision::go_on);
    ck_assert(step.stage == Stage::none);
}
END_TEST

START_TEST(a_site_that_only_observes_refuses_nothing_for_want_of_a_ledger)
{
    SiteDirectory site;
    site.write("mscale.conf", "[site]\nmode = enforce\n[partition.quiet]\nmode = off\n[paths]\nstate = " +
                                  site.path + "/state\n");
    auto slurm = remote_step();
    slurm.environment = {{"MSCALE_JOB", "submitted"}, {"SLURM_JOB_PARTITION", "quiet"}};
    ck_assert(learn(slurm, site).stage == Stage::none);
    slurm.environment["SLURM_JOB_PARTITION"] = "main";
    ck_assert(learn(slurm, site).stage == Stage::refused);
}
END_TEST

START_TEST(a_run_without_a_prolog_is_set_up_by_what_an_earlier_one_was_told)
{
    SiteDirectory site;
    const auto kept = contract::write_kept_job(site.path + "/state", {12, 1001, 100, "", "x", {}, {}});
    ck_assert(kept.has_value());
    auto record = applied_ledger();
    record.stage = contract::Stage::refused;
    record.refusals = {{Code::apply_hugepages, "role.loader.hugepages", "2MiB*4", "node 0 has 1", ""}};
    site.write("ledger", contract::to_json(record).dump());
    site.write_node_program("mkdir -p state/jobs && cp ledger state/jobs/12.json");
    auto slurm = remote_step();
    assert_refused(learn(slurm, site), "node 0 has 1");
    ck_assert_msg(site.read("call").ends_with(" again\n"), "%s", site.read("call").c_str());
    expect_text(site.read("input"), "{\"job\":12,\"uid\":1001}\n");
}
END_TEST

START_TEST(a_run_that_can_not_be_set_up_again_is_refused)
{
    SiteDirectory site;
    const auto kept = contract::write_kept_job(site.path + "/state", {12, 1001, 100, "", "x", {}, {}});
    ck_assert(kept.has_value());
    site.write_node_program("echo slurmctld is away >&2; exit 3");
    auto slurm = remote_step();
    assert_refused(learn(slurm, site), "slurmctld is away");
}
END_TEST

START_TEST(the_external_step_is_left_alone)
{
    SiteDirectory site;
    site.write_ledger(applied_ledger());
    auto slurm = remote_step();
    slurm.facts.step_id = external_step;
    ck_assert(learn(slurm, site).stage == Stage::none);
}
END_TEST

Suite* step_suite()
{
    Suite* suite = suite_create("step");
    TCase* ledger = tcase_create("ledger");
    tcase_add_test(ledger, a_job_without_a_ledger_has_no_contract);
    tcase_add_test(ledger, the_plan_of_mscale_node_is_kept);
    tcase_add_test(ledger, mscale_node_is_told_the_step_as_slurm_granted_it);
    tcase_add_test(ledger, the_refusals_of_apply_refuse_every_task);
    tcase_add_test(ledger, an_observed_contract_refuses_nothing);
    tcase_add_test(ledger, what_a_failed_prolog_left_counts_before_an_old_ledger);
    tcase_add_test(ledger, a_ledger_that_is_unfinished_or_over_refuses_the_tasks);
    tcase_add_test(ledger, a_torn_ledger_refuses_the_tasks);
    tcase_add_test(ledger, the_ledger_of_another_users_job_is_not_followed);
    tcase_add_test(ledger, a_claimed_contract_without_a_ledger_refuses_the_tasks);
    tcase_add_test(ledger, a_site_that_only_observes_refuses_nothing_for_want_of_a_ledger);
    tcase_add_test(ledger, a_run_without_a_prolog_is_set_up_by_what_an_earlier_one_was_told);
    tcase_add_test(ledger, a_run_that_can_not_be_set_up_again_is_refused);
    tcase_add_test(ledger, the_external_step_is_left_alone);
    suite_add_tcase(suite, ledger);
    TCase* program = tcase_create("mscale-node");
    tcase_add_test(program, a_crash_of_mscale_node_refuses_the_tasks);
    tcase_add_test(program, a_hang_of_mscale_node_refuses_the_tasks);
    tcase_add_test(program, an_answer_that_is_garbage_refuses_the_tasks);
    suite_add_tcase(suite, program);
    return suite;
}
