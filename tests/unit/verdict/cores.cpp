#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

START_TEST(a_count_is_whole_cores_with_their_siblings)
{
    const Verdict verdict = judge("role.loader.cores=2,role.loader.near=numa:1", two_sockets());
    expect_honoured(verdict);
    ck_assert(verdict.plan.workers[0].roles[0].cpus == cpus("4-5,12-13"));
    ck_assert_uint_eq(verdict.plan.cores_per_worker, 2);
}
END_TEST

START_TEST(a_set_that_splits_a_core_is_refused_with_its_siblings)
{
    const Refusal refusal =
        refusal_of(judge("role.loader.cores=[0-1,8]", two_sockets()), "role.loader.cores");
    ck_assert(refusal.code == Code::cpu_without_siblings);
    expect_part(refusal.reason, "siblings 9");
    expect_part(refusal.hint, "[0-1,8-9]");
    expect_part(refusal.hint, "2 (4 CPUs)");
}
END_TEST

START_TEST(where_slurm_grants_one_cpu_of_each_core_that_cpu_is_the_core)
{
    const Allocation nomultithread{.cpus = cpus("0-3"), .tasks = 1, .gpus = {}, .sm_slices = {}};
    expect_honoured(judge("role.loader.cores=4", two_sockets(), nomultithread));
    expect_honoured(judge("role.loader.cores=[0-1]", two_sockets(), nomultithread));
}
END_TEST

START_TEST(absent_cpus_inside_a_range_are_named)
{
    const Refusal refusal =
        refusal_of(judge("role.loader.cores=[12-17]", two_sockets()), "role.loader.cores");
    ck_assert(refusal.code == Code::no_such_cpu);
    expect_part(refusal.reason, "16-17");
    expect_part(refusal.reason, "0-15");
}
END_TEST

START_TEST(isolated_cpus_are_refused_unless_the_site_allows_them)
{
    hal::Machine machine = two_sockets();
    machine.isolated = cpus("2-3,10-11");
    const Refusal refusal = refusal_of(judge("role.loader.cores=[2,10]", machine), "role.loader.cores");
    ck_assert(refusal.code == Code::isolated_cpu);
    Site site;
    site.isolated = Isolated::allow;
    expect_honoured(verify(contract_of("role.loader.cores=[2,10]"), {machine, site, {}}));
}
END_TEST

START_TEST(a_count_never_takes_isolated_cpus)
{
    hal::Machine machine = two_sockets();
    machine.isolated = cpus("0-2,8-10");
    const Refusal refusal =
        refusal_of(judge("role.loader.cores=2,role.loader.near=numa:0", machine), "role.loader.cores");
    ck_assert(refusal.code == Code::too_few_cores);
    expect_part(refusal.reason, "1 core (2 CPUs: 3,11)");
}
END_TEST

START_TEST(cpus_outside_the_allocation_are_named_with_what_was_granted)
{
    const Refusal refusal = refusal_of(judge("role.loader.cores=[0-1,8-9]", two_sockets(),
                                             {.cpus = cpus("0,8"), .tasks = 1, .gpus = {}, .sm_slices = {}}),
                                       "role.loader.cores");
    ck_assert(refusal.code == Code::outside_allocation);
    expect_part(refusal.reason, "1,9");
    expect_part(refusal.reason, "granted: 0,8");
}
END_TEST

START_TEST(two_roles_never_share_a_core)
{
    Contract contract = contract_of("role.a.cores=[0,8]");
    contract.roles["b"] = contract.roles["a"];
    const hal::Machine machine = two_sockets();
    const Site site;
    expect_part(refusal_of(verify(contract, {machine, site, {}}), "role.b.cores").reason, "another role");
}
END_TEST

START_TEST(near_a_node_without_cpus_is_refused)
{
    hal::Machine machine = two_sockets();
    machine.numa.push_back({2, {}, 1ULL << 30, 0, {}, {}});
    const Refusal refusal =
        refusal_of(judge("role.loader.cores=1,role.loader.near=numa:2", machine), "role.loader.near");
    ck_assert(refusal.code == Code::no_such_numa);
    expect_part(refusal.hint, "0, 1");
}
END_TEST

START_TEST(every_broken_clause_is_reported_at_once)
{
    const Verdict verdict =
        judge("role.a.cores=[99],role.a.hugepages=2MiB*5000,role.b.disk=nvme7n1,role.b.near=numa:9,"
              "gpu.model=b300,gpu.sm=500,rdma.port=mlx5_7:1",
              two_sockets());
    for (const char* clause : {"role.a.cores", "role.a.hugepages", "role.b.disk", "role.b.near", "gpu.model",
                               "gpu.sm", "rdma.port"})
        refusal_of(verdict, clause);
}
END_TEST

START_TEST(what_was_read_stands_in_the_refusal_as_the_contract_has_it)
{
    const Verdict verdict = judge("role.loader.cores=600", two_sockets());
    ck_assert_str_eq(verdict.refusals[0].read.c_str(), "600");
    expect_part(to_text(verdict.refusals), "MSC-V002 role.loader.cores=600: 600 cores asked");
}
END_TEST

Suite* cores_suite()
{
    return make_suite(
        "cores", a_count_is_whole_cores_with_their_siblings,
        a_set_that_splits_a_core_is_refused_with_its_siblings,
        where_slurm_grants_one_cpu_of_each_core_that_cpu_is_the_core, absent_cpus_inside_a_range_are_named,
        isolated_cpus_are_refused_unless_the_site_allows_them, a_count_never_takes_isolated_cpus,
        cpus_outside_the_allocation_are_named_with_what_was_granted, two_roles_never_share_a_core,
        near_a_node_without_cpus_is_refused, every_broken_clause_is_reported_at_once,
        what_was_read_stands_in_the_refusal_as_the_contract_has_it);
}
