#include <hwloc.h>

#include <algorithm>

#include "hal/cores.hpp"
#include "hal/hwloc_reader.hpp"

namespace mscale::hal {
namespace {

/// hwloc lists the pages of ordinary size as well, of up to 64 KiB.
constexpr std::uint64_t least_huge_page = 1u << 20;

std::vector<unsigned> numbers_of(hwloc_const_bitmap_t bitmap)
{
    std::vector<unsigned> numbers;
    for (int i = hwloc_bitmap_first(bitmap); i >= 0; i = hwloc_bitmap_next(bitmap, i))
        numbers.push_back(static_cast<unsigned>(i));
    return numbers;
}

std::vector<hwloc_obj_t> objects_of(hwloc_topology* topology, hwloc_obj_type_t type)
{
    std::vector<hwloc_obj_t> objects;
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr)
        objects.push_back(object);
    return objects;
}

void read_pools(const hwloc_obj_t object, NumaNode& node)
{
    node.free_bytes = node.memory_bytes;
    for (unsigned i = 0; i < object->attr->numanode.page_types_len; ++i) {
        const auto& type = object->attr->numanode.page_types[i];
        if (type.size < least_huge_page) continue;
        node.huge_pages.push_back({type.size, type.count, type.count, 0});
        node.free_bytes -= std::min<std::uint64_t>(node.free_bytes, type.size * type.count);
    }
    std::sort(node.huge_pages.begin(), node.huge_pages.end());
}

/// A CPU belongs to one node, but hwloc gives memory without CPUs (of GPUs, CXL, HBM) the CPUs of the package
/// it hangs on. Such nodes have the greater numbers, so each CPU goes to the first node that lists it.
void read_nodes(hwloc_topology* topology, Machine& machine)
{
    std::vector<hwloc_obj_t> objects = objects_of(topology, HWLOC_OBJ_NUMANODE);
    std::sort(objects.begin(), objects.end(),
              [](hwloc_obj_t a, hwloc_obj_t b) { return a->os_index < b->os_index; });
    CpuSet taken;
    for (const hwloc_obj_t object : objects) {
        NumaNode node;
        node.id = object->os_index;
        node.cpus = CpuSet(numbers_of(object->cpuset)) - taken;
        node.memory_bytes = object->attr->numanode.local_memory;
        taken = taken | node.cpus;
        read_pools(object, node);
        machine.numa.push_back(std::move(node));
    }
}

void read_distances(hwloc_topology* topology, Machine& machine)
{
    unsigned count = 1;
    hwloc_distances_s* distances = nullptr;
    const int status = hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &distances,
                                                   HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
    if (status != 0 || count == 0 || distances == nullptr) return;
    for (unsigned row = 0; row < distances->nbobjs; ++row)
        for (NumaNode& node : machine.numa)
            if (node.id == distances->objs[row]->os_index)
                for (unsigned column = 0; column < distances->nbobjs; ++column)
                    node.distances.push_back(
                        static_cast<unsigned>(distances->values[row * distances->nbobjs + column]));
    hwloc_distances_release(topology, distances);
}

Core core_of(hwloc_topology* topology, const hwloc_obj_t object)
{
    Core core;
    core.id = object->os_index;
    core.cpus = CpuSet(numbers_of(object->cpuset));
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, object);
    if (package != nullptr) core.package = package->os_index;
    return core;
}

void read_kernel_facts(hwloc_topology* topology, Machine& machine)
{
    const hwloc_obj_t top = hwloc_get_root_obj(topology);
    if (const char* name = hwloc_obj_get_info_by_name(top, "HostName")) machine.name = name;
    if (const char* release = hwloc_obj_get_info_by_name(top, "OSRelease")) machine.kernel.release = release;
    for (const NumaNode& node : machine.numa)
        for (const HugePagePool& pool : node.huge_pages)
            if (pool.page_bytes >= 4096) machine.kernel.huge_page_sizes.push_back(pool.page_bytes);
    std::vector<std::uint64_t>& sizes = machine.kernel.huge_page_sizes;
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
}

} // namespace

void read_hwloc_cpus(hwloc_topology* topology, Machine& machine)
{
    machine.online = CpuSet(numbers_of(hwloc_topology_get_topology_cpuset(topology)));
    read_nodes(topology, machine);
    read_distances(topology, machine);
    std::vector<hwloc_obj_t> cores = objects_of(topology, HWLOC_OBJ_CORE);
    if (cores.empty()) cores = objects_of(topology, HWLOC_OBJ_PU);
    for (const hwloc_obj_t core : cores) machine.cores.push_back(core_of(topology, core));
    place_cores(machine);
    read_kernel_facts(topology, machine);
    machine.notes.push_back("the XML doesn't tell free huge pages and free memory: all are taken as free");
}

} // namespace mscale::hal
