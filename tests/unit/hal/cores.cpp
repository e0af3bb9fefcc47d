#include "hal/cores.hpp"

#include "base/text.hpp"
#include "hal/probe.hpp"
#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

START_TEST(a_core_that_spans_two_nodes_is_detected)
{
    const Tree tree;
    tree.cpus(8, 2);
    tree.node(0, "0-2,5");
    tree.node(1, "3-4,6-7");
    const Machine machine = read_tree(tree);
    ck_assert_uint_eq(machine.cores.size(), 4);
    std::size_t spanning = 0;
    for (const Core& core : machine.cores) {
        ck_assert_int_eq(core.spans_nodes, !core.numa);
        spanning += core.spans_nodes ? 1 : 0;
    }
    ck_assert_uint_eq(spanning, 2); // CPUs 2-3 and 4-5
    ck_assert(has_note(machine, "2 cores lie in two NUMA nodes"));
}
END_TEST

START_TEST(a_core_holds_its_siblings_and_counts_once)
{
    const Tree tree;
    tree.cpus(8, 2);
    tree.node(0, "0-7");
    const Machine machine = read_tree(tree);
    ck_assert_uint_eq(machine.cores.size(), 4);
    ck_assert_uint_eq(machine.online.size(), 8);
    expect_text(to_string(machine.cores[1].cpus), "2-3");
}
END_TEST

START_TEST(an_offline_sibling_belongs_to_no_core)
{
    const Tree tree;
    tree.cpus(4, 2);
    tree.node(0, "0-3");
    tree.file("/sys/devices/system/cpu/online", "0-2");
    const Machine machine = read_tree(tree);
    ck_assert_uint_eq(machine.cores.size(), 2);
    expect_text(to_string(machine.cores[1].cpus), "2");
    expect_text(to_string(machine.numa[0].cpus), "0-2");
}
END_TEST

START_TEST(cores_are_ordered_by_package_then_node_then_lowest_cpu)
{
    Machine machine;
    machine.numa = {{}, {}};
    machine.numa[0].cpus = CpuSet({0, 2, 4, 6});
    machine.numa[1].id = 1;
    machine.numa[1].cpus = CpuSet({1, 3, 5, 7});
    for (unsigned cpu = 0; cpu < 8; ++cpu)
        machine.cores.push_back({cpu, 1 - cpu % 4 / 2, {}, false, CpuSet({cpu})});
    place_cores(machine);
    sort_cores(machine);
    std::vector<std::string> order;
    for (const Core& core : machine.cores) order.push_back(to_string(core.cpus));
    expect_text(join(order, " "), "0 4 1 5 2 6 3 7");
}
END_TEST

START_TEST(another_order_is_taken_only_when_it_names_the_same_cores)
{
    Machine machine;
    for (unsigned cpu = 0; cpu < 3; ++cpu) machine.cores.push_back({cpu, 0, {}, false, CpuSet({cpu})});
    reorder_cores(machine, {CpuSet({2}), CpuSet({0}), CpuSet({1})}, "hwloc");
    ck_assert_uint_eq(machine.cores[0].id, 2);
    ck_assert(machine.notes.empty());
    reorder_cores(machine, {CpuSet({0}), CpuSet({1})}, "hwloc");
    ck_assert_uint_eq(machine.cores[0].id, 2);
    ck_assert(has_note(machine, "sysfs was taken"));
}
END_TEST

START_TEST(isolated_cpus_are_told)
{
    const Tree tree;
    tree.cpus(4, 1);
    tree.node(0, "0-3");
    tree.file("/sys/devices/system/cpu/isolated", "2-3");
    expect_text(to_string(read_tree(tree).isolated), "2-3");
}
END_TEST

START_TEST(a_directory_without_cpus_is_no_machine)
{
    const Tree tree;
    const Result<Machine> machine = probe_machine({tree.root(), ""});
    ck_assert(!machine);
    ck_assert(machine.error().code == Code::machine_unreadable);
}
END_TEST

START_TEST(this_system_is_read_and_is_the_only_one_to_bind_to)
{
    const Result<Machine> machine = probe_machine({});
    ck_assert(machine.has_value());
    ck_assert(machine->this_system);
    ck_assert(!machine->cores.empty());
    ck_assert(!has_note(*machine, "sysfs was taken"));
}
END_TEST

Suite* cores_suite()
{
    return make_suite(
        "cores", a_core_that_spans_two_nodes_is_detected, a_core_holds_its_siblings_and_counts_once,
        an_offline_sibling_belongs_to_no_core, cores_are_ordered_by_package_then_node_then_lowest_cpu,
        another_order_is_taken_only_when_it_names_the_same_cores, isolated_cpus_are_told,
        a_directory_without_cpus_is_no_machine, this_system_is_read_and_is_the_only_one_to_bind_to);
}
