#include "hal/disks.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "hal/disk_name.hpp"
#include "hal/locality.hpp"
#include "hal/sysfs.hpp"

namespace mscale::hal {
namespace {

constexpr const char* block_directory = "/sys/block/";

bool is_visible_disk(const Root& root, const std::string& name)
{
    const std::string path = block_directory + name;
    return read_integer(root, path + "/hidden").value_or(0) == 0 && root.exists(path + "/device") &&
           !name.starts_with("sr");
}

/// blk-mq writes "0, 1, 2", which isn't the kernel's list grammar.
CpuSet read_queue_cpus(const Root& root, const std::string& path)
{
    std::vector<unsigned> cpus;
    const std::string text = read_text(root, path);
    for (const std::string_view field : split(text, ','))
        if (const auto cpu = parse_number(trim(field)); cpu && *cpu < CpuSet::limit)
            cpus.push_back(static_cast<unsigned>(*cpu));
    return CpuSet(std::move(cpus));
}

std::vector<DiskQueue> read_queues(const Root& root, const std::string& block_path)
{
    std::vector<DiskQueue> queues;
    for (const std::string& name : list_names(root, block_path + "/mq"))
        if (const auto id = number_after(name, ""))
            queues.push_back({*id, read_queue_cpus(root, format("{}/mq/{}/cpu_list", block_path, name))});
    std::sort(queues.begin(), queues.end(),
              [](const DiskQueue& a, const DiskQueue& b) { return a.id < b.id; });
    return queues;
}

/// The block device that has the hardware queues: the disk itself, or the first hidden leg of a multipath
/// head (nvme0n1 is the head of nvme0c0n1, nvme0c1n1).
std::string queue_path_of(const Root& root, const std::string& name)
{
    const std::string own = block_directory + name;
    const std::size_t n = name.rfind('n');
    if (root.exists(own + "/mq") || n == std::string::npos) return own;
    for (const std::string& leg : list_names(root, "/sys/block"))
        if (leg.starts_with(name.substr(0, n) + "c") && leg.ends_with(name.substr(n)))
            return block_directory + leg;
    return own;
}

/// The controller's directory ("/sys/class/nvme/nvme0"): the device itself, or the first controller of the
/// subsystem.
std::string controller_path_of(const Root& root, const std::string& device_path)
{
    if (root.exists(device_path + "/queue_count")) return device_path;
    for (const std::string& name : list_names(root, device_path))
        if (number_after(name, "nvme") && root.exists(device_path + "/" + name + "/queue_count"))
            return device_path + "/" + name;
    return device_path;
}

void read_queue_facts(const Root& root, Disk& disk)
{
    const std::string path = queue_path_of(root, disk.name);
    disk.queues = read_queues(root, path);
    disk.nr_requests = read_unsigned(root, path + "/queue/nr_requests").value_or(0);
    disk.queue_count = static_cast<unsigned>(disk.queues.size());
    const std::string cache = read_text(root, path + "/queue/write_cache");
    if (!cache.empty()) disk.write_cache = cache == "write back";
    disk.rotational = read_unsigned(root, path + "/queue/rotational").value_or(0) == 1;
    const std::string zones = read_text(root, path + "/queue/zoned");
    disk.zoned = !zones.empty() && zones != "none";
}

void read_controller_facts(const Root& root, Disk& disk)
{
    const std::string device_path = block_directory + disk.name + "/device";
    const std::string controller = disk.kind == "nvme" ? controller_path_of(root, device_path) : device_path;
    disk.serial = read_text(root, device_path + "/serial");
    if (disk.serial.empty()) disk.serial = read_text(root, controller + "/serial");
    if (disk.serial.empty()) disk.serial = read_text(root, block_directory + disk.name + "/serial");
    // NVMe counts the admin queue as well.
    if (const auto count = read_unsigned(root, controller + "/queue_count");
        count && disk.queue_count == 0 && *count > 0)
        disk.queue_count = *count - 1;
    const std::string hardware = disk.kind == "nvme" ? controller + "/device" : device_path;
    disk.pci = find_pci_address(root, hardware);
    if (disk.pci) disk.locality = read_locality(root, pci_device_path(*disk.pci));
}

std::vector<std::string> read_partitions(const Root& root, const std::string& name)
{
    std::vector<std::string> partitions;
    for (const std::string& entry : list_names(root, block_directory + name))
        if (entry.starts_with(name) && root.exists(block_directory + name + "/" + entry + "/partition"))
            partitions.push_back(entry);
    return partitions;
}

Disk read_disk(const Root& root, const std::string& name)
{
    Disk disk;
    disk.name = name;
    disk.kind = classify_disk_name(name) == DiskName::whole_namespace ? "nvme" : "other";
    disk.wwid = read_text(root, block_directory + name + "/wwid");
    if (disk.wwid.empty()) disk.wwid = read_text(root, block_directory + name + "/device/wwid");
    read_queue_facts(root, disk);
    read_controller_facts(root, disk);
    disk.partitions = read_partitions(root, name);
    return disk;
}

} // namespace

std::vector<Disk> read_disks(const Root& root)
{
    std::vector<Disk> disks;
    for (const std::string& name : list_names(root, "/sys/block"))
        if (is_visible_disk(root, name)) disks.push_back(read_disk(root, name));
    return disks;
}

} // namespace mscale::hal
