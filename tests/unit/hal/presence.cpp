#include "hal/presence.hpp"

#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

START_TEST(the_state_of_a_port_is_read_and_a_port_that_is_gone_has_none)
{
    const Tree tree;
    tree.file("/sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
    tree.file("/sys/class/infiniband/mlx5_0/ports/2/state", "1: DOWN\n");
    ck_assert(read_port_state(tree.root(), "mlx5_0:1") == "ACTIVE");
    ck_assert(read_port_state(tree.root(), "mlx5_0:2") == "DOWN");
    ck_assert(read_port_state(tree.root(), "mlx5_0:3").empty());
    ck_assert(read_port_state(tree.root(), "mlx5_1:1").empty());
}
END_TEST

START_TEST(a_disk_is_there_only_with_its_own_serial_number)
{
    const Tree tree;
    tree.file("/sys/block/nvme0n1/device/serial", "S1  \n");
    tree.directory("/sys/block/vda/device");
    ck_assert(has_disk(tree.root(), "nvme0n1", "S1"));
    ck_assert(!has_disk(tree.root(), "nvme0n1", "S2"));
    ck_assert(!has_disk(tree.root(), "nvme1n1", "S1"));
    ck_assert(has_disk(tree.root(), "vda", ""));
}
END_TEST

Suite* presence_suite()
{
    return make_suite("presence", the_state_of_a_port_is_read_and_a_port_that_is_gone_has_none,
                      a_disk_is_there_only_with_its_own_serial_number);
}
