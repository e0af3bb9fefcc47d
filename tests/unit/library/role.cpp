// A thread enters its role's place and leaves it, by the C calls.
#include <cerrno>
#include <cstdlib>
#include <thread>

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu_set.hpp"
#include "library/memory_policy.hpp"
#include "mscale/mscale.h"
#include "tests/unit/library/refused_call.hpp"
#include "tests/unit/library/suites.hpp"

using namespace mscale;

namespace {

/// This thread's CPUs as the kernel lists them.
std::string cpus_here()
{
    return to_string(read_affinity(::gettid()).value());
}

std::string first_cpu()
{
    return std::to_string(read_affinity().value().cpus().front());
}

/// A job whose contract gives one worker the role `loader` on `cpus`, of NUMA node `numa`.
void become_task(const std::string& cpus, const char* numa = "0")
{
    for (const char* name : {"LOCAL_RANK", "SLURM_LOCALID", "MSCALE_WORKER_0_ROLE_LOADER_CPUS"}) ::unsetenv(name);
    ::setenv("MSCALE_ROLES", "loader,tokenizer", 1);
    ::setenv("MSCALE_ROLE_LOADER_CPUS", cpus.c_str(), 1);
    ::setenv("MSCALE_ROLE_LOADER_NUMA", numa, 1);
}

void expect_untouched(const std::string& cpus, const library::MemoryPolicy& memory)
{
    expect_text(cpus_here(), cpus);
    ck_assert(library::read_memory_policy().value() == memory);
}

START_TEST(a_thread_is_bound_to_its_roles_cores_and_memory_and_taken_back)
{
    const auto before = library::read_memory_policy().value().value();
    const std::string cpus = cpus_here();
    become_task(first_cpu());
    ck_assert_int_eq(mscale_role_enter("loader"), MSCALE_OK);
    expect_text(cpus_here(), first_cpu());
    const auto bound = library::read_memory_policy().value().value();
    ck_assert(bound.mode == MPOL_BIND && bound.nodes.front() == 1);
    ck_assert_int_eq(mscale_role_leave(), MSCALE_OK);
    expect_untouched(cpus, before);
    ck_assert_int_eq(mscale_role_leave(), MSCALE_INVALID);
    expect_part(mscale_last_error(), "in no role");
}
END_TEST

START_TEST(roles_within_one_another_are_undone_one_by_one)
{
    const std::string cpus = cpus_here();
    become_task(first_cpu());
    ::setenv("MSCALE_ROLE_TOKENIZER_CPUS", cpus.c_str(), 1);
    ck_assert_int_eq(mscale_role_enter("loader"), MSCALE_OK);
    ck_assert_int_eq(mscale_role_enter("tokenizer"), MSCALE_OK);
    expect_text(cpus_here(), cpus);
    ck_assert_int_eq(mscale_role_leave(), MSCALE_OK);
    expect_text(cpus_here(), first_cpu());
    ck_assert_int_eq(mscale_role_leave(), MSCALE_OK);
    expect_text(cpus_here(), cpus);
}
END_TEST

START_TEST(other_threads_stay_where_they_are_and_new_ones_inherit)
{
    const std::string cpus = cpus_here();
    become_task(first_cpu());
    std::thread([&] {
        ck_assert_int_eq(mscale_role_enter("loader"), MSCALE_OK);
        std::thread([] { expect_text(cpus_here(), first_cpu()); }).join();
    }).join();
    expect_text(cpus_here(), cpus);
    ck_assert_int_eq(mscale_role_leave(), MSCALE_INVALID);
}
END_TEST

START_TEST(a_worker_finds_its_own_place_and_no_other_ones)
{
    become_task("4095");
    ::setenv("MSCALE_WORKER_0_ROLE_LOADER_CPUS", "4095", 1);
    ::setenv("MSCALE_WORKER_1_ROLE_LOADER_CPUS", first_cpu().c_str(), 1);
    ::setenv("LOCAL_RANK", "1", 1);
    ck_assert_int_eq(mscale_role_enter("loader"), MSCALE_OK);
    ck_assert_int_eq(mscale_role_leave(), MSCALE_OK);
    ::setenv("LOCAL_RANK", "2", 1);
    ck_assert_int_eq(mscale_role_enter("loader"), MSCALE_INVALID);
    expect_part(mscale_last_error(), "LOCAL_RANK 2 is no worker of the contract");
}
END_TEST

START_TEST(a_role_that_the_contract_does_not_have_is_told_those_it_has)
{
    become_task(first_cpu());
    ck_assert_int_eq(mscale_role_enter("loadr"), MSCALE_INVALID);
    expect_part(mscale_last_error(), "MSC-S007: the contract has no cores for a role 'loadr'; its roles are: loader,tokenizer");
    ck_assert_int_eq(mscale_role_enter(nullptr), MSCALE_INVALID);
    ::setenv("MSCALE_ROLE_LOADER_NUMA", "x", 1);
    ck_assert_int_eq(mscale_role_enter("loader"), MSCALE_INVALID);
    expect_part(mscale_last_error(), "'x', which is no number");
}
END_TEST

START_TEST(outside_of_a_job_nothing_is_done)
{
    const std::string cpus = cpus_here();
    become_task(first_cpu());
    ::unsetenv("MSCALE_ROLES");
    ::unsetenv("MSCALE_ROLE_LOADER_CPUS");
    ck_assert_int_eq(mscale_role_enter("loader"), MSCALE_OUTSIDE);
    expect_part(mscale_last_error(), "MSCALE_ROLES isn't set");
    expect_text(cpus_here(), cpus);
}
END_TEST

START_TEST(nothing_is_left_half_done)
{
    const auto before = library::read_memory_policy().value().value();
    const std::string cpus = cpus_here();
    become_task(cpus + ",4095"); // the kernel would take the part that is there
    ck_assert_int_eq(mscale_role_enter("loader"), MSCALE_REFUSED);
    expect_part(mscale_last_error(), "4095");
    expect_untouched(cpus, before);
    become_task(first_cpu(), "1000"); // bound to the cores before the memory is refused
    ck_assert_int_eq(mscale_role_enter("loader"), MSCALE_REFUSED);
    expect_part(mscale_last_error(), "the memory of NUMA node 1000, of role 'loader'");
    expect_untouched(cpus, before);
    ck_assert_int_eq(mscale_role_leave(), MSCALE_INVALID);
}
END_TEST

START_TEST(a_kernel_without_memory_policies_has_one_node)
{
    become_task(first_cpu());
    refuse_call(SYS_get_mempolicy, ENOSYS);
    refuse_call(SYS_set_mempolicy, ENOSYS);
    ck_assert_int_eq(mscale_role_enter("loader"), MSCALE_OK);
    expect_text(cpus_here(), first_cpu());
    ck_assert_int_eq(mscale_role_leave(), MSCALE_OK);
}
END_TEST

START_TEST(a_container_that_forbids_memory_policies_is_told_of)
{
    const std::string cpus = cpus_here();
    become_task(first_cpu());
    refuse_call(SYS_set_mempolicy, EPERM);
    ck_assert_int_eq(mscale_role_enter("loader"), MSCALE_REFUSED);
    expect_part(mscale_last_error(), "a container must let set_mempolicy through");
    expect_text(cpus_here(), cpus);
}
END_TEST

} // namespace

Suite* role_suite()
{
    return make_suite("role", a_thread_is_bound_to_its_roles_cores_and_memory_and_taken_back,
                      roles_within_one_another_are_undone_one_by_one, other_threads_stay_where_they_are_and_new_ones_inherit,
                      a_worker_finds_its_own_place_and_no_other_ones,
                      a_role_that_the_contract_does_not_have_is_told_those_it_has, outside_of_a_job_nothing_is_done,
                      nothing_is_left_half_done, a_kernel_without_memory_policies_has_one_node,
                      a_container_that_forbids_memory_policies_is_told_of);
}
