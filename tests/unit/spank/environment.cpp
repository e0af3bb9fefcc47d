#include "spank/environment.hpp"

#include <map>

#include "tests/unit/spank/suites.hpp"

using namespace mscale;
using namespace mscale::spank;

static contract::WorkerPlan worker(unsigned index, unsigned main, unsigned loader)
{
    contract::RolePlan role;
    role.name = "loader";
    role.cpus = CpuSet({loader});
    role.numa = 1;
    role.pages = contract::PagePlan{2 << 20, 64, 1};
    contract::WorkerPlan plan;
    plan.index = index;
    plan.main = CpuSet({main});
    plan.roles = {role};
    return plan;
}

static std::map<std::string, std::string> variables_of(const TaskPlan& task)
{
    std::map<std::string, std::string> variables;
    for (const auto& [name, value] : describe_task(task, "/run/mscale/huge/12")) variables[name] = value;
    return variables;
}

START_TEST(a_task_finds_its_own_worker)
{
    contract::Plan plan;
    plan.workers = {worker(0, 0, 1), worker(1, 2, 3)};
    const auto task = plan_of_task(plan, 2, 1);
    ck_assert(task.cpus == CpuSet({2}));
    const std::map<std::string, std::string> expected = {
        {"MSCALE_WORKER", "1"},
        {"MSCALE_ROLES", "loader"},
        {"MSCALE_ROLE_LOADER_CPUS", "3"},
        {"MSCALE_ROLE_LOADER_NUMA", "1"},
        {"MSCALE_ROLE_LOADER_HUGEPAGES", "/run/mscale/huge/12/2048kB"},
        {"MSCALE_ROLE_LOADER_HUGEPAGE_BYTES", "2097152"},
        {"MSCALE_ROLE_LOADER_HUGEPAGE_COUNT", "64"},
    };
    ck_assert(variables_of(task) == expected);
}
END_TEST

START_TEST(a_task_is_told_the_gpu_and_the_drive_of_its_plan)
{
    contract::Plan plan;
    plan.workers = {worker(0, 0, 1)};
    plan.workers.front().gpu_pci = plan.workers.front().roles.front().gpu_pci = "0000:1b:00.0";
    plan.workers.front().roles.front().disk = "nvme1n1 (S2)";
    plan.workers.front().roles.front().io_depth = 64;
    const auto variables = variables_of(plan_of_task(plan, 1, 0));
    expect_text(variables.at("MSCALE_GPU"), "0000:1b:00.0");
    expect_text(variables.at("MSCALE_ROLE_LOADER_GPU"), "0000:1b:00.0");
    expect_text(variables.at("MSCALE_ROLE_LOADER_DISK"), "nvme1n1");
    expect_text(variables.at("MSCALE_ROLE_LOADER_IO_DEPTH"), "64");
}
END_TEST

START_TEST(one_task_that_starts_several_workers_is_told_of_each)
{
    contract::Plan plan;
    plan.workers = {worker(0, 0, 1), worker(1, 2, 3)};
    const auto task = plan_of_task(plan, 1, 0);
    ck_assert(task.cpus == CpuSet({0, 2}));
    const auto variables = variables_of(task);
    expect_text(variables.at("MSCALE_ROLE_LOADER_CPUS"), "1");
    expect_text(variables.at("MSCALE_WORKER_0_ROLE_LOADER_CPUS"), "1");
    expect_text(variables.at("MSCALE_WORKER_1_ROLE_LOADER_CPUS"), "3");
}
END_TEST

START_TEST(a_task_beyond_the_plan_has_no_worker)
{
    contract::Plan plan;
    plan.workers = {worker(0, 0, 1)};
    ck_assert(plan_of_task(plan, 2, 1).workers.empty());
}
END_TEST

START_TEST(only_our_own_variables_are_stale)
{
    for (const char* entry :
         {"MSCALE_CONTRACT=x", "MSCALE_ROLES=a", "MSCALE_ROLE=a", "MSCALE_WORKER_0_ROLE_A_CPUS=1",
          "SLURM_SPANK_MSCALE_CONTRACT=x", "MSCALE_JOB=1", "MSCALE_GPU=a"})
        ck_assert_msg(is_stale(entry), "%s", entry);
    for (const char* entry :
         {"MSCALE_SM_SLICES=0", "SLURM_JOB_ID=1", "SLURM_SPANK_OTHER=1", "MSCALE_CONF=/x"})
        ck_assert_msg(!is_stale(entry), "%s", entry);
}
END_TEST

Suite* environment_suite()
{
    Suite* suite = suite_create("environment");
    TCase* variables = tcase_create("variables");
    tcase_add_test(variables, a_task_finds_its_own_worker);
    tcase_add_test(variables, a_task_is_told_the_gpu_and_the_drive_of_its_plan);
    tcase_add_test(variables, one_task_that_starts_several_workers_is_told_of_each);
    tcase_add_test(variables, a_task_beyond_the_plan_has_no_worker);
    tcase_add_test(variables, only_our_own_variables_are_stale);
    suite_add_tcase(suite, variables);
    return suite;
}
