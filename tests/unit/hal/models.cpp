#include <algorithm>
#include <set>

#include "hal/nearness.hpp"
#include "hal/probe.hpp"
#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

namespace {

std::vector<std::optional<unsigned>> nodes_of_gpus(const Machine& machine)
{
    std::vector<std::optional<unsigned>> nodes;
    for (const Gpu& gpu : machine.gpus) nodes.push_back(gpu.locality.numa);
    return nodes;
}

void expect_counts(const Machine& machine, std::size_t nodes, std::size_t cores, std::size_t cpus,
                   std::size_t gpus)
{
    ck_assert_uint_eq(machine.numa.size(), nodes);
    ck_assert_uint_eq(machine.cores.size(), cores);
    ck_assert_uint_eq(machine.online.size(), cpus);
    ck_assert_uint_eq(machine.gpus.size(), gpus);
    ck_assert(!machine.this_system);
}

} // namespace

START_TEST(tree_and_xml_of_each_model_tell_the_same_cpus_nodes_and_devices)
{
    for (const char* name : model_names) {
        const Machine tree = read_model(name), xml = read_model_xml(name);
        ck_assert(tree.online == xml.online);
        ck_assert_uint_eq(tree.numa.size(), xml.numa.size());
        for (std::size_t i = 0; i < tree.numa.size(); ++i) {
            ck_assert_uint_eq(tree.numa[i].id, xml.numa[i].id);
            ck_assert(tree.numa[i].cpus == xml.numa[i].cpus);
            ck_assert_uint_eq(tree.numa[i].memory_bytes, xml.numa[i].memory_bytes);
        }
        ck_assert_uint_eq(tree.cores.size(), xml.cores.size());
        for (std::size_t i = 0; i < tree.cores.size(); ++i) {
            ck_assert(tree.cores[i].cpus == xml.cores[i].cpus);
            ck_assert(tree.cores[i].numa == xml.cores[i].numa);
            ck_assert_uint_eq(tree.cores[i].package, xml.cores[i].package);
        }
        ck_assert(nodes_of_gpus(tree) == nodes_of_gpus(xml));
        ck_assert_uint_eq(tree.ports.size(), xml.ports.size());
        ck_assert_uint_eq(tree.disks.size(), xml.disks.size());
        for (std::size_t i = 0; i < tree.gpus.size(); ++i) {
            ck_assert(tree.gpus[i].pci == xml.gpus[i].pci);
            expect_text(tree.gpus[i].model, xml.gpus[i].model);
        }
    }
}
END_TEST

START_TEST(gpus_of_the_nps4_model_lie_in_nodes_3_3_1_1_7_7_5_5)
{
    const Machine machine = read_model("dgx-a100-nps4");
    expect_counts(machine, 8, 128, 256, 8);
    ck_assert((nodes_of_gpus(machine) == std::vector<std::optional<unsigned>>{3, 3, 1, 1, 7, 7, 5, 5}));
    expect_text(to_string(machine.gpus[0].locality.cpus), "48-63,176-191");
    expect_text(machine.gpus[0].locality.source, "sysfs");
    ck_assert_uint_eq(machine.gpus[0].sms, 108);
    ck_assert_uint_eq(machine.gpus[0].sm_chunk, 4);
}
END_TEST

START_TEST(each_gpu_of_the_hgx_model_has_its_own_rail_behind_the_same_switch)
{
    const Machine machine = read_model_xml("hgx-h100-2s");
    expect_counts(machine, 2, 112, 224, 8);
    std::vector<std::string> rails;
    for (const Gpu& gpu : machine.gpus) {
        const auto rail = find_nearest_rail(machine, gpu.locality);
        ck_assert(rail.has_value());
        rails.push_back(machine.ports[*rail].device);
    }
    ck_assert((rails == std::vector<std::string>{"mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9",
                                                 "mlx5_10", "mlx5_11"}));
}
END_TEST

START_TEST(devices_of_the_flat_virtual_machine_have_no_known_place)
{
    for (const Machine& machine : {read_model("kvm-flat-numa-1"), read_model_xml("kvm-flat-numa-1")}) {
        expect_counts(machine, 1, 64, 64, 8);
        for (const Gpu& gpu : machine.gpus) {
            ck_assert(!gpu.locality.numa);
            ck_assert(gpu.locality.cpus.empty());
            expect_text(gpu.locality.source, "");
        }
        ck_assert(!machine.disks.at(0).locality.numa);
        ck_assert(!machine.ports.at(0).locality.numa);
    }
}
END_TEST

START_TEST(of_the_36_nodes_of_the_gh200_model_four_have_cpus)
{
    for (const Machine& machine : {read_model("gh200-4x"), read_model_xml("gh200-4x")}) {
        expect_counts(machine, 36, 288, 288, 4);
        std::set<unsigned> with_cpus;
        for (const NumaNode& node : machine.numa)
            if (!node.cpus.empty()) with_cpus.insert(node.id);
        ck_assert((with_cpus == std::set<unsigned>{0, 1, 2, 3}));
        expect_text(to_string(machine.gpus[3].pci), "0039:01:00.0");
        ck_assert(machine.gpus[3].locality.numa == 3u);
        ck_assert((machine.kernel.huge_page_sizes ==
                   std::vector<std::uint64_t>{2u << 20, 512u << 20, std::uint64_t{16} << 30}));
    }
}
END_TEST

START_TEST(health_of_a_port_is_the_ports_own_state)
{
    const Machine machine = read_model("hgx-h100-2s");
    ck_assert_uint_eq(machine.ports.size(), 12);
    std::size_t rails = 0;
    for (const RdmaPort& port : machine.ports) {
        if (!is_rail(machine, port)) continue;
        ++rails; // its network device reads "down"
        expect_text(port.state, "ACTIVE");
        expect_text(port.phys_state, "LinkUp");
        ck_assert_uint_eq(port.rate_gbps, 400);
        ck_assert(port.netdevs.at(0).starts_with("ibp"));
    }
    ck_assert_uint_eq(rails, 8);
    expect_text(machine.ports[2].link_layer, "Ethernet");
    expect_text(machine.ports[2].state, "DOWN");
    expect_text(machine.ports[2].phys_state, "Disabled");
}
END_TEST

START_TEST(a_tree_without_pci_paths_says_so_and_guesses_none)
{
    const Machine machine = read_model("hgx-h100-2s");
    ck_assert(machine.gpus[0].locality.bridges.empty());
    expect_text(machine.gpus[0].locality.pci_root, "");
    ck_assert(has_note(machine, "root buses and bridges are unknown"));
    ck_assert(!find_nearest_rail(machine, machine.gpus[0].locality));
}
END_TEST

START_TEST(disks_of_the_hgx_model_lie_near_their_controllers)
{
    const Machine machine = read_model("hgx-h100-2s");
    ck_assert_uint_eq(machine.disks.size(), 8);
    const Disk& disk = machine.disks[4];
    expect_text(disk.name, "nvme4n1");
    expect_text(disk.kind, "nvme");
    expect_text(disk.serial, "S0FAKE00009C000");
    expect_text(to_string(*disk.pci), "0000:9c:00.0");
    ck_assert(disk.locality.numa == 1u);
    ck_assert_uint_eq(disk.nr_requests, 1023);
    ck_assert_uint_eq(disk.queue_count, 64);
    ck_assert((disk.partitions == std::vector<std::string>{"nvme4n1p1"}));
}
END_TEST

Suite* models_suite()
{
    return make_suite(
        "models", tree_and_xml_of_each_model_tell_the_same_cpus_nodes_and_devices,
        gpus_of_the_nps4_model_lie_in_nodes_3_3_1_1_7_7_5_5,
        each_gpu_of_the_hgx_model_has_its_own_rail_behind_the_same_switch,
        devices_of_the_flat_virtual_machine_have_no_known_place,
        of_the_36_nodes_of_the_gh200_model_four_have_cpus, health_of_a_port_is_the_ports_own_state,
        a_tree_without_pci_paths_says_so_and_guesses_none, disks_of_the_hgx_model_lie_near_their_controllers);
}
