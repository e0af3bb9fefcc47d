#include <algorithm>

#include "base/text.hpp"
#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

hal::Machine machine_of(unsigned cores, unsigned threads)
{
    hal::Machine machine;
    hal::NumaNode node;
    for (unsigned core = 0; core < cores; ++core) {
        CpuSet siblings;
        for (unsigned thread = 0; thread < threads; ++thread) siblings.insert(core + thread * cores);
        machine.cores.push_back({core, 0, 0, false, siblings});
        node.cpus = node.cpus | siblings;
    }
    machine.online = node.cpus;
    machine.numa.push_back(node);
    return machine;
}

/// Adds the set, which must be whole cores that nobody had before.
void claim(CpuSet& claimed, const CpuSet& part, const hal::Machine& machine)
{
    ck_assert(!claimed.intersects(part));
    for (const hal::Core& core : machine.cores)
        ck_assert(!core.cpus.intersects(part) || part.contains(core.cpus));
    claimed = claimed | part;
}

/// Every worker's cores: its roles' and its own, which are the same cores when nothing else is left.
void expect_even_and_apart(const Plan& plan, const hal::Machine& machine)
{
    CpuSet claimed;
    std::size_t least = SIZE_MAX, most = 0;
    for (const WorkerPlan& worker : plan.workers) {
        CpuSet share;
        for (const RolePlan& role : worker.roles) {
            claim(claimed, role.cpus, machine);
            share = share | role.cpus;
        }
        if (!(share == worker.main)) claim(claimed, worker.main, machine);
        share = share | worker.main;
        least = std::min(least, share.size());
        most = std::max(most, share.size());
    }
    ck_assert_uint_le(most - least, machine.cores[0].cpus.size());
}

void try_distribution(unsigned cores, unsigned workers, unsigned count)
{
    for (const unsigned threads : {1U, 2U}) {
        const hal::Machine machine = machine_of(cores, threads);
        const Verdict verdict =
            judge(format("role.a.cores={0},role.b.cores={0}", count), machine,
                  {.cpus = machine.online, .tasks = workers, .gpus = {}, .sm_slices = {}});
        ck_assert_msg(verdict.honoured() == (2 * count * workers <= cores), "%u cores, %u workers, %u each",
                      cores, workers, count);
        if (verdict.honoured()) expect_even_and_apart(verdict.plan, machine);
    }
}

} // namespace

START_TEST(cores_are_whole_even_and_never_shared_for_every_count)
{
    for (const unsigned cores : {1U, 2U, 3U, 7U, 12U, 16U, 31U})
        for (unsigned workers = 1; workers <= 5; ++workers)
            for (unsigned count = 1; count <= 4; ++count) try_distribution(cores, workers, count);
}
END_TEST

START_TEST(a_set_for_the_node_is_shared_out_evenly)
{
    const Verdict verdict = judge("contract.per=node,role.loader.cores=[0-3,8-11]", two_sockets(),
                                  {.cpus = {}, .tasks = 2, .gpus = {}, .sm_slices = {}});
    expect_honoured(verdict);
    ck_assert(verdict.plan.workers[0].roles[0].cpus == cpus("0-1,8-9"));
    ck_assert(verdict.plan.workers[1].roles[0].cpus == cpus("2-3,10-11"));
}
END_TEST

START_TEST(a_set_for_each_of_several_workers_is_refused)
{
    const Verdict verdict = judge("role.loader.cores=[0,8]", two_sockets(),
                                  {.cpus = {}, .tasks = 2, .gpus = {}, .sm_slices = {}});
    expect_part(refusal_of(verdict, "role.loader.cores").hint, "contract.per = node");
}
END_TEST

START_TEST(the_task_keeps_what_its_roles_leave)
{
    const Verdict verdict = judge("role.loader.cores=1", two_sockets(),
                                  {.cpus = cpus("0-3,8-11"), .tasks = 2, .gpus = {}, .sm_slices = {}});
    ck_assert_uint_eq(verdict.plan.workers[0].main.size(), 2);
    ck_assert_uint_eq(verdict.plan.workers[1].main.size(), 2);
}
END_TEST

START_TEST(a_task_with_nothing_left_runs_where_its_roles_do)
{
    const Verdict verdict = judge("role.loader.cores=2", two_sockets(),
                                  {.cpus = cpus("0-1,8-9"), .tasks = 1, .gpus = {}, .sm_slices = {}});
    ck_assert(verdict.plan.workers[0].main == cpus("0-1,8-9"));
}
END_TEST

START_TEST(workers_of_one_task_are_planned_as_well)
{
    const Verdict verdict =
        judge("contract.workers=4,role.loader.cores=2,role.loader.near=gpu", two_sockets());
    expect_honoured(verdict);
    ck_assert_uint_eq(verdict.plan.workers.size(), 4);
    ck_assert_uint_eq(verdict.plan.cores_per_worker, 2);
    ck_assert(any_holds(verdict.plan.notes, "per node: 4 workers of 2 cores"));
}
END_TEST

Suite* distribution_suite()
{
    return make_suite("distribution", cores_are_whole_even_and_never_shared_for_every_count,
                      a_set_for_the_node_is_shared_out_evenly, a_set_for_each_of_several_workers_is_refused,
                      the_task_keeps_what_its_roles_leave, a_task_with_nothing_left_runs_where_its_roles_do,
                      workers_of_one_task_are_planned_as_well);
}
