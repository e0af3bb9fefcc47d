#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

START_TEST(pages_lie_on_the_node_of_the_roles_cores)
{
    const Verdict verdict =
        judge("role.loader.cores=1,role.loader.near=numa:1,role.loader.hugepages=2MiB*512", two_sockets());
    expect_honoured(verdict);
    ck_assert(verdict.plan.pages == std::vector<PagePlan>({{2ULL << 20, 512, 1}}));
}
END_TEST

START_TEST(pages_of_all_workers_roles_and_the_pool_are_summed_by_node)
{
    const std::string text =
        "role.a.near=numa:0,role.a.hugepages=2MiB*200,role.b.near=numa:0,role.b.hugepages=2MiB*200,"
        "rdma.port=mlx5_0:1,rdma.pool=2MiB*200";
    const Allocation two{.cpus = {}, .tasks = 2, .gpus = {}, .sm_slices = {}};
    ck_assert_uint_eq(judge(text, two_sockets(), two).plan.pages[0].count, 1000);
    const Verdict verdict =
        judge(text + ",ft.spares=0,role.c.near=numa:0,role.c.hugepages=2MiB*1", two_sockets(), two);
    ck_assert(refusal_of(verdict, "rdma.pool").code == Code::too_few_huge_pages);
}
END_TEST

START_TEST(too_many_pages_are_refused_with_what_the_node_has)
{
    const Refusal refusal =
        refusal_of(judge("role.a.near=numa:0,role.a.hugepages=2MiB*1001", two_sockets()), "role.a.hugepages");
    expect_part(refusal.reason, "1000 free");
    expect_part(refusal.hint, "at most 1000");
}
END_TEST

START_TEST(pages_that_were_asked_before_are_told_so_that_the_numbers_add_up)
{
    const std::string text = "role.a.near=numa:0,role.a.hugepages=2MiB*800,"
                             "role.b.near=numa:0,role.b.hugepages=2MiB*300";
    expect_text(refusal_of(judge(text, two_sockets()), "role.b.hugepages").reason,
                "NUMA node 0 can give 1000 pages of 2 MiB (800 that were asked before, 200 free, 0 more "
                "could grow); with what is asked before, this needs 1100");
}
END_TEST

START_TEST(pages_grow_into_free_memory_when_the_site_allows_it)
{
    hal::Machine machine = two_sockets();
    machine.numa[0].free_bytes = 1ULL << 30;
    const std::string text = "role.a.near=numa:0,role.a.hugepages=2MiB*1100";
    const Verdict verdict = judge(text, machine);
    expect_honoured(verdict);
    ck_assert(any_holds(verdict.plan.notes, "NUMA node 0 grows by 100 huge pages of 2 MiB"));
    Site site;
    site.grow = false;
    ck_assert(!verify(contract_of(text), {machine, site, {}}).honoured());
}
END_TEST

START_TEST(a_size_that_the_kernel_lacks_is_refused_with_the_sizes)
{
    const Refusal refusal = refusal_of(judge("role.a.hugepages=16MiB*4", two_sockets()), "role.a.hugepages");
    ck_assert(refusal.code == Code::huge_page_size);
    expect_part(refusal.reason, "2 MiB, 1 GiB");
}
END_TEST

Suite* hugepages_suite()
{
    return make_suite("hugepages", pages_lie_on_the_node_of_the_roles_cores,
                      pages_of_all_workers_roles_and_the_pool_are_summed_by_node,
                      too_many_pages_are_refused_with_what_the_node_has,
                      pages_that_were_asked_before_are_told_so_that_the_numbers_add_up,
                      pages_grow_into_free_memory_when_the_site_allows_it,
                      a_size_that_the_kernel_lacks_is_refused_with_the_sizes);
}
