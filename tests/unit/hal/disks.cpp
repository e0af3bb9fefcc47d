#include "hal/disks.hpp"

#include "hal/disk_name.hpp"
#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

namespace {

/// Two controllers of one subsystem, one namespace: its head and the two hidden legs.
void add_multipath(const Tree& tree)
{
    tree.pci("pci0000:00/0000:05:00.0", "0x144d", "0x010802", 1);
    tree.file("/sys/devices/pci0000:00/0000:05:00.0/nvme/nvme0/queue_count", "5");
    tree.link("/sys/devices/pci0000:00/0000:05:00.0/nvme/nvme0/device", "../../../0000:05:00.0");
    const std::string subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
    tree.link(subsystem + "/nvme0", "../../../pci0000:00/0000:05:00.0/nvme/nvme0");
    tree.file(subsystem + "/serial", "S1");
    tree.file(subsystem + "/nvme0n1/hidden", "0");
    tree.file(subsystem + "/nvme0n1/wwid", "eui.0025385000000001");
    tree.link(subsystem + "/nvme0n1/device", "../../nvme-subsys0");
    tree.link("/sys/block/nvme0n1", "../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1");
    for (const char* leg : {"nvme0c0n1", "nvme0c1n1"}) {
        const std::string path = std::string("/sys/block/") + leg;
        tree.file(path + "/hidden", "1");
        tree.file(path + "/queue/nr_requests", "1023");
        tree.file(path + "/queue/write_cache", "write through");
        tree.file(path + "/mq/0/cpu_list", "0, 2");
        tree.file(path + "/mq/1/cpu_list", "1, 3");
        tree.directory(path + "/device");
    }
}

} // namespace

START_TEST(each_name_of_the_cases_is_what_the_case_says)
{
    for (const std::vector<std::string>& row : read_table("nvme_names.tsv")) {
        const bool is_namespace = row.at(1).starts_with("namespace");
        const DiskName kind = classify_disk_name(row[0]);
        ck_assert_msg((kind == DiskName::whole_namespace) == is_namespace, "%s", row[0].c_str());
        if (row[1] == "partition") ck_assert(kind == DiskName::partition);
        if (row[1] == "controller") ck_assert(kind == DiskName::controller);
        if (row[1] == "generic char device") ck_assert(kind == DiskName::generic);
        if (row[1] == "not NVMe") ck_assert(kind == DiskName::other);
        if (row[1] == "symlink") ck_assert(kind == DiskName::link);
        if (row[1] == "bad") ck_assert(kind == DiskName::bad);
    }
}
END_TEST

START_TEST(hidden_legs_are_left_out_and_the_head_has_their_queues_and_place)
{
    const Tree tree;
    add_multipath(tree);
    const std::vector<Disk> disks = read_disks(tree.root());
    ck_assert_uint_eq(disks.size(), 1);
    const Disk& head = disks[0];
    expect_text(head.name, "nvme0n1");
    expect_text(head.serial, "S1");
    expect_text(head.wwid, "eui.0025385000000001");
    ck_assert_uint_eq(head.nr_requests, 1023);
    ck_assert_uint_eq(head.queue_count, 2);
    expect_text(to_string(head.queues.at(1).cpus), "1,3");
    ck_assert(head.write_cache == false);
    expect_text(to_string(head.pci.value()), "0000:05:00.0");
    ck_assert(head.locality.numa == 1u);
    expect_text(head.locality.pci_root, "0000:00");
}
END_TEST

START_TEST(devices_without_hardware_are_no_disks)
{
    const Tree tree;
    for (const char* name : {"loop0", "ram0", "dm-0", "md127", "zram0"})
        tree.file(std::string("/sys/block/") + name + "/dev", "7:0");
    tree.directory("/sys/block/sr0/device");
    tree.directory("/sys/block/sda/device");
    const std::vector<Disk> disks = read_disks(tree.root());
    ck_assert_uint_eq(disks.size(), 1);
    expect_text(disks[0].name, "sda");
    expect_text(disks[0].kind, "other");
}
END_TEST

START_TEST(zones_and_caches_and_spindles_are_told)
{
    const Tree tree;
    tree.directory("/sys/block/sda/device");
    tree.file("/sys/block/sda/queue/zoned", "host-managed");
    tree.file("/sys/block/sda/queue/rotational", "1");
    tree.file("/sys/block/sda/queue/write_cache", "write back");
    tree.directory("/sys/block/sdb/device");
    tree.file("/sys/block/sdb/queue/zoned", "none");
    const std::vector<Disk> disks = read_disks(tree.root());
    ck_assert(disks.at(0).zoned && disks[0].rotational && disks[0].write_cache == true);
    ck_assert(!disks.at(1).zoned && !disks[1].rotational && !disks[1].write_cache);
}
END_TEST

Suite* disks_suite()
{
    return make_suite("disks", each_name_of_the_cases_is_what_the_case_says,
                      hidden_legs_are_left_out_and_the_head_has_their_queues_and_place,
                      devices_without_hardware_are_no_disks, zones_and_caches_and_spindles_are_told);
}
