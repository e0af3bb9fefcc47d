#include "hal/inventory.hpp"

#include "base/json.hpp"
#include "hal/machine_json.hpp"
#include "hal/probe.hpp"
#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

START_TEST(an_inventory_reads_back_as_it_was_written)
{
    const Tree tree;
    const MachineClass hgx{"hgx", {"n2", "n1"}, read_model("hgx-h100-2s"), 1700000000};
    tree.file("/hgx.json", to_json(hgx).dump(1));
    tree.file("/partitions.json", to_json(std::vector<PartitionEntry>{{"gpu", {"n1", "n2"}, true, "requeue", 30, 60}}).dump());
    tree.file("/README", "not an inventory file");
    const Result<Inventory> inventory = read_inventory(tree.path());
    ck_assert_msg(inventory.has_value(), "%s", inventory ? "" : inventory.error().text.c_str());
    ck_assert_uint_eq(inventory->classes.size(), 1);
    expect_text(inventory->classes[0].name, "hgx");
    ck_assert((inventory->classes[0].nodes == std::vector<std::string>{"n1", "n2"}));
    ck_assert_int_eq(inventory->classes[0].written, 1700000000);
    ck_assert(to_json(inventory->classes[0].machine) == to_json(hgx.machine));
    ck_assert_uint_eq(inventory->partitions.size(), 1);
    ck_assert(inventory->partitions[0].is_default);
    expect_text(inventory->partitions[0].preemption, "requeue");
    ck_assert(inventory->partitions[0].grace == 30U && inventory->partitions[0].kill_wait == 60U);
}
END_TEST

START_TEST(a_partition_of_an_older_inventory_says_nothing_of_preemption)
{
    const auto partitions = partitions_from_json(parse_json(R"({"partitions":[{"name":"gpu","nodes":["n1"],"default":true}]})", "x").value(), "x");
    ck_assert(partitions && partitions->size() == 1);
    ck_assert(partitions->front().preemption.empty() && !partitions->front().grace);
}
END_TEST

START_TEST(the_file_that_cannot_be_read_is_named)
{
    const Tree tree;
    tree.file("/a.json", "{\"nodes\": [\"n1\"], \"written\": 1}");
    const Result<Inventory> inventory = read_inventory(tree.path());
    ck_assert(!inventory);
    ck_assert(inventory.error().code == Code::inventory);
    expect_part(inventory.error().text, "/a.json");
    expect_part(inventory.error().text, "/machine is missing");
    ck_assert(!read_inventory(tree.path() + "/absent"));
}
END_TEST

START_TEST(a_class_file_is_a_machine_file_too)
{
    const Tree tree;
    tree.file("/hgx.json", to_json(MachineClass{"hgx", {"n1"}, read_model("kvm-flat-numa-1"), 1}).dump());
    const Result<Machine> machine = read_machine_file(tree.path() + "/hgx.json");
    ck_assert(machine.has_value());
    ck_assert_uint_eq(machine->gpus.size(), 8);
}
END_TEST

START_TEST(nodes_that_differ_in_names_serials_and_free_memory_are_one_class)
{
    const Machine a = read_model("hgx-h100-2s");
    Machine b = a;
    b.name = "other";
    b.gpus[0].uuid = "GPU-other";
    b.disks[0].serial = "other";
    b.numa[0].free_bytes = 1;
    b.numa[0].memory_bytes -= 8u << 20;
    b.numa[0].huge_pages[0].free = 0;
    b.notes.push_back("other");
    ck_assert(is_same_class(a, b));
}
END_TEST

START_TEST(nodes_that_differ_in_what_a_contract_sees_are_two_classes)
{
    const Machine a = read_model("hgx-h100-2s");
    Machine pages = a, gpu = a, port = a, memory = a;
    pages.numa[0].huge_pages[0].total = 1;
    gpu.gpus.pop_back();
    port.ports[0].state = "DOWN";
    memory.numa[1].memory_bytes /= 2;
    for (const Machine& b : {pages, gpu, port, memory}) ck_assert(!is_same_class(a, b));
}
END_TEST

Suite* inventory_suite()
{
    return make_suite("inventory", an_inventory_reads_back_as_it_was_written,
                      a_partition_of_an_older_inventory_says_nothing_of_preemption,
                      the_file_that_cannot_be_read_is_named, a_class_file_is_a_machine_file_too,
                      nodes_that_differ_in_names_serials_and_free_memory_are_one_class,
                      nodes_that_differ_in_what_a_contract_sees_are_two_classes);
}
