#include "daemon/mscaled/status.hpp"

#include "base/json.hpp"
#include "daemon/mscaled/clause_view.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

LocalJob loader_job()
{
    LocalJob job;
    job.record.job_id = 12;
    job.record.uid = 1000;
    job.record.stage = contract::Stage::applied;
    job.record.nodes = {"n1", "n2"};
    job.record.contract = "role.loader.cores=1";
    contract::StepRecord step;
    contract::WorkerPlan worker;
    worker.roles.push_back({"loader", CpuSet({1}), {}, {}, {}, {}, {}});
    step.plan.workers = {worker};
    job.record.steps = {step};
    job.findings.processes = {{{0, 0, "loader", {4711, 7}, CpuSet({1})}, {{4711, CpuSet({0, 1})}}}};
    return job;
}

Report applied_on(const std::string& node)
{
    return make_report(loader_job().record, node, {}, contract::OnBreach::fail);
}

} // namespace

START_TEST(a_clause_shows_what_was_promised_granted_and_found)
{
    contract::Contract promised;
    promised.roles["loader"].cores = 1u;
    const auto views = view_clauses(promised, loader_job());
    ck_assert_uint_eq(views.size(), 1);
    expect_text(views.front().clause, "role.loader.cores");
    expect_text(views.front().promised, "1");
    expect_text(views.front().granted, "1");
    expect_text(views.front().found, "0-1");
}
END_TEST

START_TEST(a_process_is_shown_with_its_promised_and_found_cpus)
{
    const Json json = status_of(loader_job(), "n1", "/nowhere");
    const Json process = json["nodes"][0]["processes"][0];
    ck_assert_int_eq(process["pid"].get<int>(), 4711);
    expect_text(process["promised"].get<std::string>(), "1");
    expect_text(process["found"].get<std::string>(), "0-1");
}
END_TEST

START_TEST(the_refusal_of_a_step_is_shown_with_its_step)
{
    LocalJob job = loader_job();
    job.record.steps[0].refusals = {{Code::too_few_cores, "role.loader.cores", "4", "Slurm granted 1", ""}};
    const Json json = status_of(job, "n1", "/nowhere");
    const Json refusals = json["nodes"][0]["refusals"];
    ck_assert_uint_eq(refusals.size(), 1);
    expect_text(refusals[0]["reason"].get<std::string>(), "step 0: Slurm granted 1");
}
END_TEST

START_TEST(the_parts_of_several_nodes_become_one_job_with_the_writers_state)
{
    const auto now = ContractState::Instant{};
    ContractState state(12, now);
    state.add(applied_on("n1"), now);
    Json writer = status_of(loader_job(), "n1", "/nowhere");
    add_state(writer, state, state.judge(now, std::chrono::seconds(30)), "n1");
    const Json whole = merge_status({status_of(loader_job(), "n3", "/nowhere"), writer});
    expect_text(whole["state"].get<std::string>(), "accepted");
    expect_text(whole["writer"].get<std::string>(), "n1");
    ck_assert_uint_eq(whole["nodes"].size(), 3);
    expect_text(whole["nodes"][2]["node"].get<std::string>(), "n2");
    expect_text(whole["nodes"][2]["stage"].get<std::string>(), "silent");
}
END_TEST

START_TEST(a_job_of_which_no_node_knows_is_no_job)
{
    ck_assert(merge_status({Json(), Json("text")}).is_null());
}
END_TEST

Suite* status_suite()
{
    return make_suite("status", a_clause_shows_what_was_promised_granted_and_found,
                      a_process_is_shown_with_its_promised_and_found_cpus,
                      the_refusal_of_a_step_is_shown_with_its_step,
                      the_parts_of_several_nodes_become_one_job_with_the_writers_state,
                      a_job_of_which_no_node_knows_is_no_job);
}
