#include "hal/numa.hpp"

#include "hal/probe.hpp"
#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

namespace {

void add_pool(const Tree& tree, const std::string& directory, const char* total, const char* free)
{
    tree.file(directory + "/hugepages-2048kB/nr_hugepages", total);
    tree.file(directory + "/hugepages-2048kB/free_hugepages", free);
    tree.file(directory + "/hugepages-2048kB/surplus_hugepages", "0");
}

} // namespace

START_TEST(memory_and_huge_pages_are_read_per_node)
{
    const Tree tree;
    tree.cpus(4, 1);
    tree.node(0, "0-3");
    add_pool(tree, "/sys/devices/system/node/node0/hugepages", "64", "40");
    const NumaNode node = read_tree(tree).numa.at(0);
    ck_assert_uint_eq(node.memory_bytes, 1u << 30);
    ck_assert_uint_eq(node.free_bytes, 1u << 29);
    ck_assert((node.huge_pages == std::vector<HugePagePool>{{2u << 20, 64, 40, 0}}));
}
END_TEST

START_TEST(of_the_page_cache_what_lies_in_memory_alone_does_not_count)
{
    const Tree tree;
    tree.cpus(4, 1);
    tree.node(0, "0-3");
    tree.file("/sys/devices/system/node/node0/meminfo",
              "Node 0 MemTotal: 1048576 kB\nNode 0 FilePages: 300 kB\nNode 0 Shmem: 44 kB\nNode 0 ShmemHugePages: 0 kB");
    ck_assert_uint_eq(read_tree(tree).numa.at(0).cache_bytes, 256u << 10);
}
END_TEST

START_TEST(pages_that_a_mount_reserved_are_not_free_on_any_node)
{
    const Tree tree;
    tree.cpus(4, 1);
    tree.node(0, "0-1");
    tree.node(1, "2-3");
    for (const char* node : {"node0", "node1"})
        add_pool(tree, std::string("/sys/devices/system/node/") + node + "/hugepages", "64", "40");
    tree.file("/sys/kernel/mm/hugepages/hugepages-2048kB/resv_hugepages", "16");
    const Machine machine = read_tree(tree);
    ck_assert_uint_eq(machine.numa.at(0).huge_pages.at(0).free, 24);
    ck_assert_uint_eq(machine.numa.at(1).huge_pages.at(0).free, 24);
    ck_assert(has_note(machine, "16 reserved huge pages of 2 MiB"));
}
END_TEST

START_TEST(a_node_without_cpus_is_memory_and_no_fault)
{
    const Tree tree;
    tree.cpus(2, 1);
    tree.node(0, "0-1");
    tree.node(1, "");
    const Machine machine = read_tree(tree);
    ck_assert_uint_eq(machine.numa.size(), 2);
    ck_assert(machine.numa[1].cpus.empty());
}
END_TEST

START_TEST(a_kernel_without_numa_has_one_node_and_a_note)
{
    const Tree tree;
    tree.cpus(4, 2);
    tree.file("/proc/meminfo", "MemTotal:       2048 kB\nMemFree:        1024 kB\nCached:  600 kB\nSwapCached: 8 kB\nShmem: 88 kB");
    const Machine machine = read_tree(tree);
    ck_assert_uint_eq(machine.numa.size(), 1);
    ck_assert_uint_eq(machine.numa[0].cache_bytes, 512u << 10);
    ck_assert_uint_eq(machine.numa[0].memory_bytes, 2u << 20);
    expect_text(to_string(machine.numa[0].cpus), "0-3");
    ck_assert(has_note(machine, "knows no NUMA nodes"));
}
END_TEST

START_TEST(a_node_that_cannot_be_read_is_an_error_that_names_it)
{
    const Tree tree;
    tree.cpus(2, 1);
    tree.node(0, "0-1");
    tree.file("/sys/devices/system/node/online", "0-1");
    const Result<Machine> machine = probe_machine({tree.root(), ""});
    ck_assert(!machine);
    ck_assert(machine.error().code == Code::machine_unreadable);
    expect_part(machine.error().text, "node1");
}
END_TEST

Suite* numa_suite()
{
    return make_suite(
        "numa", memory_and_huge_pages_are_read_per_node,
        of_the_page_cache_what_lies_in_memory_alone_does_not_count, pages_that_a_mount_reserved_are_not_free_on_any_node,
        a_node_without_cpus_is_memory_and_no_fault, a_kernel_without_numa_has_one_node_and_a_note,
        a_node_that_cannot_be_read_is_an_error_that_names_it);
}
