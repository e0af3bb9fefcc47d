#include "hal/kernel.hpp"

#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

START_TEST(abilities_of_the_kernel_are_read)
{
    const Tree tree;
    tree.file("/proc/sys/kernel/osrelease", "6.1.0-18-amd64");
    tree.file("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io");
    tree.file("/proc/sys/kernel/io_uring_disabled", "2");
    tree.file("/sys/kernel/btf/vmlinux", "");
    tree.file("/proc/cpuinfo",
              "processor\t: 0\nflags\t\t: sse2 avx512f aes\n\nprocessor\t: 1\nflags\t\t: none");
    tree.directory("/sys/kernel/mm/hugepages/hugepages-1048576kB");
    tree.directory("/sys/kernel/mm/hugepages/hugepages-2048kB");
    const Kernel kernel = read_kernel(tree.root());
    expect_text(kernel.release, "6.1.0-18-amd64");
    ck_assert_uint_eq(kernel.cgroup_version, 2);
    ck_assert(kernel.io_uring_disabled == 2u);
    ck_assert(kernel.btf);
    ck_assert((kernel.cpu_flags == std::vector<std::string>{"aes", "avx512f", "sse2"}));
    ck_assert((kernel.huge_page_sizes == std::vector<std::uint64_t>{2u << 20, 1u << 30}));
}
END_TEST

START_TEST(what_a_kernel_does_not_show_stays_empty)
{
    const Tree tree;
    const Kernel kernel = read_kernel(tree.root());
    expect_text(kernel.release, "");
    ck_assert_uint_eq(kernel.cgroup_version, 0);
    ck_assert(!kernel.io_uring_disabled);
    ck_assert(!kernel.btf);
    ck_assert(kernel.cpu_flags.empty());
}
END_TEST

START_TEST(separate_hierarchies_are_cgroup_version_1)
{
    const Tree tree;
    tree.directory("/sys/fs/cgroup/memory");
    ck_assert_uint_eq(read_kernel(tree.root()).cgroup_version, 1);
}
END_TEST

START_TEST(features_of_arm_are_flags)
{
    const Tree tree;
    tree.file("/proc/cpuinfo", "processor\t: 0\nFeatures\t: sve fp asimd");
    ck_assert((read_kernel(tree.root()).cpu_flags == std::vector<std::string>{"asimd", "fp", "sve"}));
}
END_TEST

Suite* kernel_suite()
{
    return make_suite("kernel", abilities_of_the_kernel_are_read, what_a_kernel_does_not_show_stays_empty,
                      separate_hierarchies_are_cgroup_version_1, features_of_arm_are_flags);
}
