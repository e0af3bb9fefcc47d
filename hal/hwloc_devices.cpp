#include <hwloc.h>

#include <algorithm>

#include "base/text.hpp"
#include "hal/disk_name.hpp"
#include "hal/gpu_models.hpp"
#include "hal/hwloc_reader.hpp"
#include "hal/sysfs.hpp"

namespace mscale::hal {
namespace {

using PciDevice = hwloc_obj_attr_u::hwloc_pcidev_attr_s;

constexpr unsigned nvidia_vendor = 0x10de;
constexpr unsigned vga_class = 0x0300, display_class = 0x0302, infiniband_class = 0x0207;

PciAddress address_of(const PciDevice& pci)
{
    return {pci.domain, pci.bus, pci.dev, pci.func};
}

std::string info_of(const hwloc_obj_t object, const char* name)
{
    const char* value = hwloc_obj_get_info_by_name(object, name);
    return value != nullptr ? value : "";
}

/// The node with CPUs near the object that the device hangs on.  A device that hangs on the whole machine has
/// no known place: that is where hwloc puts devices with numa_node = -1.
void read_node(hwloc_topology* topology, const hwloc_obj_t device, const Machine& machine, Locality& locality)
{
    const hwloc_obj_t ancestor = hwloc_get_non_io_ancestor_obj(topology, device);
    if (ancestor == nullptr || ancestor == hwloc_get_root_obj(topology)) return;
    std::vector<const NumaNode*> nodes;
    for (const NumaNode& node : machine.numa)
        for (const unsigned cpu : node.cpus.cpus())
            if (hwloc_bitmap_isset(ancestor->cpuset, cpu) != 0) {
                nodes.push_back(&node);
                break;
            }
    if (nodes.size() != 1) return;
    locality.numa = nodes.front()->id;
    locality.cpus = nodes.front()->cpus;
    locality.source = "hwloc";
}

void read_bridges(const hwloc_obj_t device, Locality& locality)
{
    for (hwloc_obj_t up = device->parent; up != nullptr && up->type == HWLOC_OBJ_BRIDGE; up = up->parent) {
        const auto& bridge = up->attr->bridge;
        if (bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI)
            locality.bridges.push_back(address_of(bridge.upstream.pci));
        else
            locality.pci_root = format("{:04x}:{:02x}", unsigned{bridge.downstream.pci.domain},
                                       unsigned{bridge.downstream.pci.secondary_bus});
    }
    std::reverse(locality.bridges.begin(), locality.bridges.end());
}

/// The children of a PCI device that the operating system knows by name.
std::vector<hwloc_obj_t> names_of(const hwloc_obj_t device)
{
    std::vector<hwloc_obj_t> names;
    for (hwloc_obj_t child = device->io_first_child; child != nullptr; child = child->next_sibling)
        if (child->type == HWLOC_OBJ_OS_DEVICE && child->name != nullptr) names.push_back(child);
    return names;
}

void add_gpu(const hwloc_obj_t device, const Locality& locality, Machine& machine)
{
    Gpu gpu;
    gpu.index = static_cast<unsigned>(machine.gpus.size());
    gpu.pci = address_of(device->attr->pcidev);
    gpu.locality = locality;
    for (const hwloc_obj_t name : names_of(device)) {
        if (const auto index = number_after(name->name, "nvml")) gpu.index = *index;
        if (gpu.model.empty()) gpu.model = info_of(name, "GPUModel");
        if (gpu.uuid.empty()) gpu.uuid = info_of(name, "NVIDIAUUID");
    }
    if (gpu.model.empty()) gpu.model = gpu_name_of(device->attr->pcidev.device_id);
    complete_gpu(gpu);
    machine.gpus.push_back(std::move(gpu));
}

void add_disk(const hwloc_obj_t device, const hwloc_obj_t name, const Locality& locality, Machine& machine)
{
    Disk disk;
    disk.name = name->name;
    disk.kind = classify_disk_name(disk.name) == DiskName::whole_namespace ? "nvme" : "other";
    disk.serial = info_of(name, "SerialNumber");
    disk.pci = address_of(device->attr->pcidev);
    disk.locality = locality;
    machine.disks.push_back(std::move(disk));
}

void add_port(const hwloc_obj_t device, const hwloc_obj_t name, const Locality& locality, Machine& machine)
{
    RdmaPort port;
    port.device = name->name;
    port.link_layer = device->attr->pcidev.class_id == infiniband_class ? "InfiniBand" : "Ethernet";
    if (info_of(name, "Port1State") == "4") port.state = "ACTIVE";
    for (const hwloc_obj_t sibling : names_of(device))
        if (sibling->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK) port.netdevs.emplace_back(sibling->name);
    port.pci = address_of(device->attr->pcidev);
    port.locality = locality;
    machine.ports.push_back(std::move(port));
}

void add_device(hwloc_topology* topology, const hwloc_obj_t device, Machine& machine)
{
    Locality locality;
    read_node(topology, device, machine, locality);
    read_bridges(device, locality);
    const PciDevice& pci = device->attr->pcidev;
    if (pci.vendor_id == nvidia_vendor && (pci.class_id == vga_class || pci.class_id == display_class))
        add_gpu(device, locality, machine);
    for (const hwloc_obj_t name : names_of(device)) {
        if (name->attr->osdev.type == HWLOC_OBJ_OSDEV_BLOCK) add_disk(device, name, locality, machine);
        if (name->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS) add_port(device, name, locality, machine);
    }
}

/// By name with numbers as numbers, as the readers of sysfs list them.
bool is_before(const std::string& a, const std::string& b)
{
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

} // namespace

void read_hwloc_devices(hwloc_topology* topology, Machine& machine)
{
    hwloc_obj_t device = nullptr;
    while ((device = hwloc_get_next_pcidev(topology, device)) != nullptr)
        add_device(topology, device, machine);
    std::sort(machine.gpus.begin(), machine.gpus.end(),
              [](const Gpu& a, const Gpu& b) { return a.index < b.index; });
    std::sort(machine.disks.begin(), machine.disks.end(),
              [](const Disk& a, const Disk& b) { return is_before(a.name, b.name); });
    std::sort(machine.ports.begin(), machine.ports.end(),
              [](const RdmaPort& a, const RdmaPort& b) { return is_before(a.device, b.device); });
    if (!machine.ports.empty())
        machine.notes.push_back("the XML doesn't tell rate and GIDs of RDMA ports, and rarely their state");
    if (!machine.disks.empty()) machine.notes.push_back("the XML doesn't tell the queues of disks");
}

} // namespace mscale::hal
