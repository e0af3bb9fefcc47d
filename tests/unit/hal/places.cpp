#include "hal/locality.hpp"
#include "hal/nearness.hpp"

#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

START_TEST(root_and_bridges_come_from_the_path_of_the_device)
{
    const Tree tree;
    tree.pci("pci0000:15/0000:15:01.0/0000:17:00.0/0000:18:00.0", "0x15b3", "0x020700", 1);
    const Locality place = read_locality(tree.root(), "/sys/bus/pci/devices/0000:18:00.0");
    expect_text(place.pci_root, "0000:15");
    ck_assert_uint_eq(place.bridges.size(), 2);
    expect_text(to_string(place.bridges[1]), "0000:17:00.0");
    ck_assert(place.numa == 1u);
    expect_text(to_string(place.cpus), "0-3");
    expect_text(place.source, "sysfs");
}
END_TEST

START_TEST(behind_a_vmd_the_root_is_the_one_of_the_hardware)
{
    Locality place;
    read_pci_path("/sys/devices/pci0000:64/0000:64:05.5/pci10000:00/10000:00:02.0/10000:01:00.0", place);
    expect_text(place.pci_root, "0000:64");
    ck_assert_uint_eq(place.bridges.size(), 2);
}
END_TEST

START_TEST(node_minus_1_is_unknown_whatever_the_cpu_list_says)
{
    const Tree tree;
    tree.pci("pci0000:00/0000:06:00.0", "0x10de", "0x030200", -1);
    const Locality place = read_locality(tree.root(), "/sys/bus/pci/devices/0000:06:00.0");
    ck_assert(!place.numa);
    ck_assert(place.cpus.empty());
    expect_text(place.source, "");
    expect_text(place.pci_root, "0000:00");
}
END_TEST

START_TEST(a_shared_bridge_is_nearer_than_a_root_and_a_root_than_a_node)
{
    Locality gpu, bridge, root, node;
    for (Locality* place : {&gpu, &bridge, &root, &node}) place->numa = 0;
    for (Locality* place : {&gpu, &bridge, &root}) place->pci_root = "0000:15";
    for (Locality* place : {&gpu, &bridge}) place->bridges = {{0, 0x15, 1, 0}};
    ck_assert(compare_places(gpu, bridge) > compare_places(gpu, root));
    ck_assert(compare_places(gpu, root) > compare_places(gpu, node));
    ck_assert(compare_places(gpu, node) > compare_places(gpu, Locality{}));
}
END_TEST

START_TEST(two_unknown_places_are_not_near)
{
    ck_assert(compare_places(Locality{}, Locality{}) == Nearness{});
}
END_TEST

START_TEST(of_two_rails_equally_near_none_is_the_nearest)
{
    Machine machine;
    machine.ports.resize(2);
    for (RdmaPort& port : machine.ports) port.link_layer = "InfiniBand", port.locality.numa = 0;
    Locality gpu;
    gpu.numa = 0;
    ck_assert(!find_nearest_rail(machine, gpu));
    machine.ports[1].link_layer = "Ethernet";
    ck_assert(find_nearest_rail(machine, gpu) == std::size_t{0});
}
END_TEST

START_TEST(ethernet_ports_are_rails_only_where_there_is_no_infiniband)
{
    Machine machine;
    machine.ports.resize(2);
    machine.ports[0].link_layer = machine.ports[1].link_layer = "Ethernet";
    ck_assert(is_rail(machine, machine.ports[0]));
    machine.ports[1].link_layer = "InfiniBand";
    ck_assert(!is_rail(machine, machine.ports[0]));
}
END_TEST

Suite* places_suite()
{
    return make_suite("places", root_and_bridges_come_from_the_path_of_the_device,
                      behind_a_vmd_the_root_is_the_one_of_the_hardware,
                      node_minus_1_is_unknown_whatever_the_cpu_list_says,
                      a_shared_bridge_is_nearer_than_a_root_and_a_root_than_a_node,
                      two_unknown_places_are_not_near, of_two_rails_equally_near_none_is_the_nearest,
                      ethernet_ports_are_rails_only_where_there_is_no_infiniband);
}
