#include "hal/probe.hpp"

#include <algorithm>

#include "hal/cores.hpp"
#include "hal/disks.hpp"
#include "hal/gpus.hpp"
#include "hal/hwloc_reader.hpp"
#include "hal/kernel.hpp"
#include "hal/numa.hpp"
#include "hal/rdma.hpp"
#include "hal/sysfs.hpp"

namespace mscale::hal {
namespace {

/// The host's name; a copied tree rarely holds it and is called after its directory.
std::string name_of(const Root& root)
{
    const std::string name = read_text(root, "/proc/sys/kernel/hostname");
    if (!name.empty()) return name;
    std::string directory = root.directory();
    while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
    return directory.substr(directory.rfind('/') + 1);
}

bool has_spanning_core(const Machine& machine)
{
    return std::any_of(machine.cores.begin(), machine.cores.end(),
                       [](const Core& core) { return core.spans_nodes; });
}

Result<void> read_cpus_and_nodes(const Root& root, Machine& machine)
{
    const Result<void> cores = read_cores(root, machine);
    if (!cores) return cores;
    const Result<void> nodes = read_numa(root, machine);
    if (!nodes) return nodes;
    place_cores(machine);
    sort_cores(machine);
    // hwloc drops objects of a topology that contradicts itself, and it can read no other root than this
    // system's.
    if (!root.is_this_system() || has_spanning_core(machine)) return {};
    if (const auto order = read_core_order()) reorder_cores(machine, *order, "hwloc");
    return {};
}

/// Copies of /sys often hold the PCI devices as plain directories, and with the links the way to them is
/// lost.
void note_lost_paths(Machine& machine)
{
    const auto has_root = [](const auto& device) { return !device.locality.pci_root.empty(); };
    const bool has_devices = !machine.gpus.empty() || !machine.ports.empty();
    if (has_devices && std::none_of(machine.gpus.begin(), machine.gpus.end(), has_root) &&
        std::none_of(machine.ports.begin(), machine.ports.end(), has_root))
        machine.notes.push_back("the PCI devices of this tree are no links into /sys/devices: root buses and "
                                "bridges are unknown");
}

} // namespace

Result<Machine> probe_machine(const ProbeOptions& options)
{
    forget_hwloc_environment();
    const Root& root = options.root;
    Machine machine;
    machine.name = name_of(root);
    machine.this_system = root.is_this_system();
    machine.origin = machine.this_system ? "this system" : "root " + root.directory();
    const Result<void> skeleton = read_cpus_and_nodes(root, machine);
    if (!skeleton) return tl::unexpected(skeleton.error());
    read_gpus(root, machine.this_system ? options.nvml_library : std::string(), machine);
    machine.disks = read_disks(root);
    machine.ports = read_rdma_ports(root);
    machine.kernel = read_kernel(root);
    if (!machine.this_system) note_lost_paths(machine);
    return machine;
}

} // namespace mscale::hal
