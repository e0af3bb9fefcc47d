#include "hal/rdma.hpp"

#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

namespace {

const std::string port_path = "/sys/class/infiniband/mlx5_0/ports/1";

void add_port(const Tree& tree)
{
    tree.pci("pci0000:00/0000:0e:00.0", "0x15b3", "0x020000", 0);
    tree.link("/sys/class/infiniband/mlx5_0/device", "../../../bus/pci/devices/0000:0e:00.0");
    tree.link("/sys/class/net/eth1/device", "../../../bus/pci/devices/0000:0e:00.0");
    tree.directory("/sys/class/net/lo");
    tree.file(port_path + "/state", "4: ACTIVE");
    tree.file(port_path + "/phys_state", "5: LinkUp");
    tree.file(port_path + "/rate", "2.5 Gb/sec (1X SDR)");
    tree.file(port_path + "/link_layer", "Ethernet");
}

} // namespace

START_TEST(unused_and_unreadable_gids_are_skipped)
{
    const Tree tree;
    add_port(tree);
    tree.file(port_path + "/gids/0", "fe80:0000:0000:0000:0ac0:ebff:fe00:070a");
    tree.file(port_path + "/gid_attrs/types/0", "RoCE v2");
    tree.file(port_path + "/gid_attrs/ndevs/0", "eth1");
    tree.file(port_path + "/gids/1", "0000:0000:0000:0000:0000:0000:0000:0000");
    tree.file(port_path + "/gid_attrs/types/1", "RoCE v2");
    tree.file(port_path + "/gids/2", "fe80:0000:0000:0000:0ac0:ebff:fe00:070b"); // its type gives EINVAL
    tree.file(port_path + "/gids/10", "0000:0000:0000:0000:0000:ffff:c0a8:070a");
    tree.file(port_path + "/gid_attrs/types/10", "IB/RoCE v1");
    const RdmaPort port = read_rdma_ports(tree.root()).at(0);
    ck_assert_uint_eq(port.gids.size(), 2);
    ck_assert_uint_eq(port.gids[0].index, 0);
    expect_text(port.gids[0].netdev, "eth1");
    ck_assert_uint_eq(port.gids[1].index, 10);
    expect_text(port.gids[1].type, "IB/RoCE v1");
}
END_TEST

START_TEST(a_port_knows_the_network_devices_of_its_function)
{
    const Tree tree;
    add_port(tree);
    const RdmaPort port = read_rdma_ports(tree.root()).at(0);
    ck_assert((port.netdevs == std::vector<std::string>{"eth1"}));
    expect_text(to_string(port.pci.value()), "0000:0e:00.0");
    ck_assert(port.locality.numa == 0u);
    ck_assert_uint_eq(port.rate_gbps, 2);
    ck_assert_uint_eq(port.port, 1);
}
END_TEST

START_TEST(a_soft_device_has_ports_but_no_place)
{
    const Tree tree;
    tree.file("/sys/class/infiniband/rxe0/ports/1/state", "4: ACTIVE");
    const RdmaPort port = read_rdma_ports(tree.root()).at(0);
    expect_text(port.device, "rxe0");
    ck_assert(!port.pci && !port.locality.numa && port.netdevs.empty());
}
END_TEST

Suite* rdma_suite()
{
    return make_suite("rdma", unused_and_unreadable_gids_are_skipped,
                      a_port_knows_the_network_devices_of_its_function, a_soft_device_has_ports_but_no_place);
}
