#include <hwloc.h>

#include "base/handle.hpp"
#include "hal/hwloc_reader.hpp"

namespace mscale::hal {
namespace {

using Topology = Handle<hwloc_topology_t, hwloc_topology_destroy>;

CpuSet set_of(hwloc_const_bitmap_t bitmap)
{
    std::vector<unsigned> cpus;
    for (int cpu = hwloc_bitmap_first(bitmap); cpu >= 0; cpu = hwloc_bitmap_next(bitmap, cpu))
        cpus.push_back(static_cast<unsigned>(cpu));
    return CpuSet(std::move(cpus));
}

/// Only packages, nodes and cores, from the kernel's files alone: no cache, no device, and no cpuid on every
/// CPU in turn.
void keep_little(hwloc_topology_t topology)
{
    for (const char* component : {"x86", "pci", "opencl", "cuda", "nvml", "gl", "rsmi", "levelzero"})
        hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
    hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
}

} // namespace

std::optional<std::vector<CpuSet>> read_core_order()
{
    Topology topology;
    if (hwloc_topology_init(topology.out()) != 0) return {};
    keep_little(topology.pointer());
    if (hwloc_topology_load(topology.pointer()) != 0) return {};
    std::vector<CpuSet> order;
    hwloc_obj_t core = nullptr;
    while ((core = hwloc_get_next_obj_by_type(topology.pointer(), HWLOC_OBJ_CORE, core)) != nullptr)
        order.push_back(set_of(core->cpuset));
    if (order.empty()) return {};
    return order;
}

} // namespace mscale::hal
