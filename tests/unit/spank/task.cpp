#include "spank/task.hpp"

#include <sched.h>
#include <unistd.h>

#include "base/process.hpp"
#include "tests/unit/spank/fake_slurm.hpp"
#include "tests/unit/spank/site_directory.hpp"
#include "tests/unit/spank/suites.hpp"

using namespace mscale;
using namespace mscale::spank;

static StepState planned_step(const SiteDirectory& site, const CpuSet& cpus)
{
    StepState step;
    step.stage = StepState::Stage::planned;
    step.facts = {12, 3, 1001, 1, "", ""};
    step.state_directory = site.path + "/state";
    step.record.plan.workers.resize(1);
    step.record.plan.workers[0].main = cpus;
    std::filesystem::create_directories(site.jobs());
    return step;
}

START_TEST(every_reason_is_told_in_the_tasks_output)
{
    FakeSlurm slurm;
    StepState step;
    TaskState task;
    step.stage = StepState::Stage::refused;
    step.facts.job_id = 12;
    step.refusals = {{Code::apply_hugepages, "role.a.hugepages", "2MiB*4", "node 0 has 1", "ask for 1"},
                     {Code::too_few_cores, "role.a.cores", "9", "there are 2", "ask for 2"}};
    ck_assert(admit_task(slurm, step, task) == Decision::refuse);
    ck_assert_msg(slurm.said("job 12") && slurm.said("node 0 has 1") && slurm.said("there are 2"), "%s",
                  slurm.told.c_str());
}
END_TEST

START_TEST(a_step_that_was_never_learned_refuses_its_tasks)
{
    FakeSlurm slurm;
    StepState step;
    TaskState task;
    ck_assert(admit_task(slurm, step, task) == Decision::refuse);
}
END_TEST

START_TEST(a_task_without_contract_only_loses_what_another_job_left)
{
    FakeSlurm slurm;
    slurm.environment = {{"MSCALE_CONTRACT", "x"},
                         {"MSCALE_ROLE_OLD_CPUS", "1"},
                         {"MSCALE_WORKER", "0"},
                         {"MSCALE_SM_SLICES", "0-1"},
                         {"HOME", "/h"}};
    StepState step;
    TaskState task;
    step.stage = StepState::Stage::none;
    ck_assert(admit_task(slurm, step, task) == Decision::go_on);
    ck_assert(bind_task(slurm, step, task) == Decision::go_on);
    ck_assert(slurm.environment ==
              (std::map<std::string, std::string>{{"MSCALE_SM_SLICES", "0-1"}, {"HOME", "/h"}}));
}
END_TEST

START_TEST(a_planned_task_gets_its_environment)
{
    SiteDirectory site;
    FakeSlurm slurm;
    TaskState task;
    auto step = planned_step(site, read_affinity().value());
    contract::RolePlan role;
    role.name = "image_loader";
    role.cpus = CpuSet({1});
    step.record.plan.workers[0].roles = {role};
    ck_assert_msg(admit_task(slurm, step, task) == Decision::go_on, "%s", slurm.told.c_str());
    expect_text(slurm.environment["MSCALE_ROLE_IMAGE_LOADER_CPUS"], "1");
    expect_text(slurm.environment["MSCALE_JOB"], "12");
}
END_TEST

START_TEST(a_planned_task_is_bound_and_recorded)
{
    SiteDirectory site;
    FakeSlurm slurm;
    TaskState task;
    const CpuSet before = read_affinity().value();
    const CpuSet one({before.cpus().back()});
    const auto step = planned_step(site, one);
    ck_assert(admit_task(slurm, step, task) == Decision::go_on);
    ck_assert_msg(bind_task(slurm, step, task) == Decision::go_on, "%s", slurm.told.c_str());
    ck_assert(read_affinity().value() == one);
    const auto tasks = contract::read_tasks(site.jobs(), 12);
    ck_assert(tasks.has_value());
    ck_assert_uint_eq(tasks->size(), 1);
    ck_assert(tasks->front() == (contract::TaskRecord{3, 0, "", identify_process(::getpid()).value(), one}));
}
END_TEST

START_TEST(a_contract_without_cores_leaves_slurms_binding)
{
    SiteDirectory site;
    FakeSlurm slurm;
    TaskState task;
    const CpuSet before = read_affinity().value();
    const auto step = planned_step(site, CpuSet{});
    ck_assert(admit_task(slurm, step, task) == Decision::go_on);
    ck_assert_msg(bind_task(slurm, step, task) == Decision::go_on, "%s", slurm.told.c_str());
    ck_assert(read_affinity().value() == before);
    ck_assert_uint_eq(contract::read_tasks(site.jobs(), 12)->size(), 1);
}
END_TEST

START_TEST(cores_that_cant_be_had_refuse_the_task)
{
    SiteDirectory site;
    FakeSlurm slurm;
    TaskState task;
    const auto step = planned_step(site, CpuSet({8000}));
    ck_assert(admit_task(slurm, step, task) == Decision::go_on);
    ck_assert(bind_task(slurm, step, task) == Decision::refuse);
    ck_assert(slurm.said("8000"));
}
END_TEST

START_TEST(a_task_without_a_place_in_the_plan_is_refused)
{
    SiteDirectory site;
    FakeSlurm slurm;
    TaskState task;
    auto step = planned_step(site, CpuSet({0}));
    step.facts.tasks = 2;
    slurm.local_id = 1;
    ck_assert(admit_task(slurm, step, task) == Decision::refuse);
    ck_assert_msg(slurm.said("task 1"), "%s", slurm.told.c_str());
}
END_TEST

START_TEST(a_record_that_cant_be_written_refuses_the_task)
{
    SiteDirectory site;
    FakeSlurm slurm;
    TaskState task;
    const auto step = planned_step(site, read_affinity().value());
    std::filesystem::create_symlink("/tmp/elsewhere", site.jobs() + "/12.tasks");
    ck_assert(admit_task(slurm, step, task) == Decision::refuse);
}
END_TEST

Suite* task_suite()
{
    Suite* suite = suite_create("task");
    TCase* admitted = tcase_create("admitted");
    tcase_add_test(admitted, a_task_without_contract_only_loses_what_another_job_left);
    tcase_add_test(admitted, a_planned_task_gets_its_environment);
    tcase_add_test(admitted, a_planned_task_is_bound_and_recorded);
    suite_add_tcase(suite, admitted);
    TCase* refused = tcase_create("refused");
    tcase_add_test(refused, every_reason_is_told_in_the_tasks_output);
    tcase_add_test(refused, a_step_that_was_never_learned_refuses_its_tasks);
    tcase_add_test(refused, a_contract_without_cores_leaves_slurms_binding);
    tcase_add_test(refused, cores_that_cant_be_had_refuse_the_task);
    tcase_add_test(refused, a_task_without_a_place_in_the_plan_is_refused);
    tcase_add_test(refused, a_record_that_cant_be_written_refuses_the_task);
    suite_add_tcase(suite, refused);
    return suite;
}
