#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

START_TEST(sms_are_rounded_up_to_chunks_and_told)
{
    const Verdict verdict = judge("gpu.sm=20", two_sockets());
    expect_honoured(verdict);
    ck_assert_uint_eq(verdict.plan.workers[0].sms, 24);
    ck_assert_uint_eq(verdict.plan.chunks, 3);
    ck_assert(any_holds(verdict.plan.notes, "20 is rounded up to 24"));
}
END_TEST

START_TEST(all_sms_are_the_whole_gpu)
{
    const Verdict verdict = judge("gpu.sm=132", two_sockets());
    ck_assert_uint_eq(verdict.plan.workers[0].sms, 132);
    ck_assert_uint_eq(verdict.plan.workers[0].chunks, 16);
}
END_TEST

START_TEST(more_sms_than_the_gpu_has_are_refused_with_what_it_has)
{
    const Refusal refusal = refusal_of(judge("gpu.sm=133", two_sockets()), "gpu.sm");
    ck_assert(refusal.code == Code::too_few_sms);
    expect_part(refusal.reason, "132 SMs");
    expect_part(refusal.hint, "132");
}
END_TEST

START_TEST(a_model_is_a_word_in_either_case)
{
    expect_honoured(judge("gpu.model=h100", two_sockets()));
    const Refusal refusal = refusal_of(judge("gpu.model=a100", two_sockets()), "gpu.model");
    ck_assert(refusal.code == Code::gpu_model);
    expect_part(refusal.reason, "NVIDIA H100 80GB HBM3");
}
END_TEST

START_TEST(workers_are_spread_over_the_gpus)
{
    const Verdict verdict =
        judge("gpu.sm=32", two_sockets(), {.cpus = {}, .tasks = 4, .gpus = {}, .sm_slices = {}});
    expect_honoured(verdict);
    for (unsigned worker = 0; worker < 4; ++worker)
        ck_assert_uint_eq(*verdict.plan.workers[worker].gpu, worker % 2);
}
END_TEST

START_TEST(a_named_gpu_is_the_one_that_each_worker_holds)
{
    const Allocation two{.cpus = {}, .tasks = 2, .gpus = {}, .sm_slices = {}};
    const Refusal refusal = refusal_of(judge("role.a.gpu=0,gpu.sm=132", two_sockets(), two), "gpu.sm");
    ck_assert(refusal.code == Code::too_many_workers);
    expect_part(refusal.reason, "1 worker fills the 1 GPU; 2 are asked");
    const Verdict verdict = judge("role.a.gpu=0,gpu.sm=64", two_sockets(), two);
    expect_honoured(verdict);
    ck_assert(*verdict.plan.workers[0].gpu == 0 && *verdict.plan.workers[1].gpu == 0);
    expect_honoured(judge("role.a.gpu=0,gpu.model=h100", two_sockets(), two));
}
END_TEST

START_TEST(exclusive_slices_never_overlap_and_soft_ones_may)
{
    const Allocation three{.cpus = {}, .tasks = 3, .gpus = {}, .sm_slices = {}};
    const Refusal refusal = refusal_of(judge("gpu.sm=100", two_sockets(), three), "gpu.sm");
    ck_assert(refusal.code == Code::too_many_workers);
    expect_honoured(judge("gpu.sm=100,gpu.sm_mode=soft", two_sockets(), three));
}
END_TEST

START_TEST(granted_gpus_go_to_the_workers_in_order)
{
    const Verdict verdict =
        judge("gpu.model=h100", two_sockets(), {.cpus = {}, .tasks = 2, .gpus = {1, 0}, .sm_slices = {}});
    ck_assert_uint_eq(*verdict.plan.workers[0].gpu, 1);
    ck_assert_uint_eq(*verdict.plan.workers[1].gpu, 0);
}
END_TEST

START_TEST(the_plan_takes_the_slices_that_slurm_granted)
{
    const Allocation slices{.cpus = {}, .tasks = 1, .gpus = {}, .sm_slices = {18, 19}};
    const Verdict verdict = judge("gpu.sm=16", two_sockets(), slices);
    expect_honoured(verdict);
    ck_assert_uint_eq(*verdict.plan.workers[0].gpu, 1);
    const Refusal refusal = refusal_of(judge("gpu.sm=24", two_sockets(), slices), "gpu.sm");
    expect_part(refusal.reason, "granted 2 slices");
}
END_TEST

START_TEST(the_only_worker_holds_the_gpu_that_its_role_names)
{
    const Verdict verdict =
        judge("gpu.sm=8,role.embed.gpu=0000:81:00.0,role.embed.cores=1,role.embed.near=gpu", two_sockets());
    expect_honoured(verdict);
    ck_assert_str_eq(verdict.plan.workers[0].gpu_pci.c_str(), "0000:81:00.0");
    ck_assert(verdict.plan.workers[0].roles[0].cpus == cpus("4,12"));
}
END_TEST

START_TEST(a_gpu_that_is_not_there_is_refused_with_the_list)
{
    const Refusal refusal = refusal_of(judge("role.embed.gpu=7", two_sockets()), "role.embed.gpu");
    ck_assert(refusal.code == Code::no_such_gpu);
    expect_part(refusal.reason, "GPU 0 (0000:11:00.0), GPU 1 (0000:81:00.0)");
}
END_TEST

START_TEST(without_any_gpu_each_clause_that_needs_one_is_refused)
{
    hal::Machine machine = two_sockets();
    machine.gpus.clear();
    const Verdict verdict =
        judge("gpu.sm=8,gpu.sm_mode=soft,gpu.memory=1GiB,gpu.memory_mode=hard,role.loader.near=gpu", machine);
    for (const char* clause : {"gpu.sm", "gpu.sm_mode", "gpu.memory", "gpu.memory_mode"})
        ck_assert(refusal_of(verdict, clause).code == Code::no_such_gpu);
    ck_assert(refusal_of(verdict, "role.loader.near").code == Code::no_such_gpu);
}
END_TEST

START_TEST(abilities_memory_and_fault_domain_are_judged)
{
    const Verdict verdict =
        judge("gpu.needs=fp64x,gpu.memory=200GiB,gpu.sm=8,gpu.fault_domain=private", two_sockets());
    expect_part(refusal_of(verdict, "gpu.needs").reason, "fp8, nvlink");
    expect_part(refusal_of(verdict, "gpu.memory").reason, "80 GiB");
    expect_part(refusal_of(verdict, "gpu.fault_domain").hint, "sm = 132");
}
END_TEST

START_TEST(a_private_fault_domain_is_a_whole_gpu_for_each_worker)
{
    Allocation workers;
    workers.tasks = static_cast<unsigned>(two_sockets().gpus.size());
    ck_assert(judge("gpu.fault_domain=private", two_sockets(), workers).honoured());
    ++workers.tasks;
    const Verdict verdict = judge("gpu.fault_domain=private", two_sockets(), workers);
    ck_assert(refusal_of(verdict, "gpu.fault_domain").code == Code::too_many_workers);
}
END_TEST

Suite* gpus_suite()
{
    return make_suite(
        "gpus", sms_are_rounded_up_to_chunks_and_told, all_sms_are_the_whole_gpu,
        more_sms_than_the_gpu_has_are_refused_with_what_it_has, a_model_is_a_word_in_either_case,
        workers_are_spread_over_the_gpus, exclusive_slices_never_overlap_and_soft_ones_may, a_named_gpu_is_the_one_that_each_worker_holds,
        granted_gpus_go_to_the_workers_in_order, the_plan_takes_the_slices_that_slurm_granted,
        the_only_worker_holds_the_gpu_that_its_role_names, a_gpu_that_is_not_there_is_refused_with_the_list,
        without_any_gpu_each_clause_that_needs_one_is_refused,
        a_private_fault_domain_is_a_whole_gpu_for_each_worker, abilities_memory_and_fault_domain_are_judged);
}
