#include "hal/cores.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "hal/sysfs.hpp"

namespace mscale::hal {
namespace {

constexpr const char* cpus_directory = "/sys/devices/system/cpu";

Core read_core(const Root& root, unsigned cpu, const CpuSet& online)
{
    const std::string path = format("{}/cpu{}/topology", cpus_directory, cpu);
    Core core;
    core.id = read_unsigned(root, path + "/core_id").value_or(cpu);
    core.package = read_unsigned(root, path + "/physical_package_id").value_or(0);
    core.cpus = read_cpus(root, path + "/thread_siblings_list");
    if (core.cpus.empty()) core.cpus = read_cpus(root, path + "/core_cpus_list");
    core.cpus = core.cpus & online;
    core.cpus.insert(cpu);
    return core;
}

unsigned lowest(const CpuSet& set)
{
    return set.empty() ? CpuSet::limit : set.cpus().front();
}

void place_core(const std::vector<NumaNode>& nodes, Core& core)
{
    unsigned count = 0;
    core.numa.reset();
    for (const NumaNode& node : nodes) {
        if (!node.cpus.intersects(core.cpus)) continue;
        core.numa = node.id;
        ++count;
    }
    core.spans_nodes = count > 1;
    if (core.spans_nodes) core.numa.reset();
}

void note_spanning(Machine& machine)
{
    const auto spans = [](const Core& core) { return core.spans_nodes; };
    const auto count = std::count_if(machine.cores.begin(), machine.cores.end(), spans);
    if (count == 0) return;
    const auto first = std::find_if(machine.cores.begin(), machine.cores.end(), spans);
    machine.notes.push_back(
        format("{} cores lie in two NUMA nodes, the first with CPUs {}: the topology is broken", count,
               to_string(first->cpus)));
}

} // namespace

Result<void> read_cores(const Root& root, Machine& machine)
{
    const std::string online_path = std::string(cpus_directory) + "/online";
    const Result<std::string> text = root.read_line(online_path);
    if (!text) return restate(Code::machine_unreadable, text.error(), text.error().text);
    const Result<CpuSet> online = parse_cpu_list(*text);
    if (!online) return failure(Code::machine_unreadable, online_path + ": " + online.error().text);
    machine.online = *online;
    machine.isolated = read_cpus(root, std::string(cpus_directory) + "/isolated");
    std::vector<bool> seen(CpuSet::limit + 1, false);
    for (const unsigned cpu : online->cpus()) {
        if (seen[cpu]) continue;
        machine.cores.push_back(read_core(root, cpu, *online));
        for (const unsigned sibling : machine.cores.back().cpus.cpus()) seen[sibling] = true;
    }
    return {};
}

void place_cores(Machine& machine)
{
    for (Core& core : machine.cores) place_core(machine.numa, core);
    note_spanning(machine);
}

void sort_cores(Machine& machine)
{
    std::map<unsigned, unsigned> package_rank, node_rank;
    for (const NumaNode& node : machine.numa) node_rank[node.id] = lowest(node.cpus);
    for (const Core& core : machine.cores) {
        unsigned& rank = package_rank.emplace(core.package, CpuSet::limit).first->second;
        rank = std::min(rank, lowest(core.cpus));
    }
    const auto key = [&](const Core& core) {
        const unsigned node = core.numa ? node_rank[*core.numa] : lowest(core.cpus);
        return std::tuple(package_rank[core.package], node, lowest(core.cpus));
    };
    std::stable_sort(machine.cores.begin(), machine.cores.end(),
                     [&](const Core& a, const Core& b) { return key(a) < key(b); });
}

void reorder_cores(Machine& machine, const std::vector<CpuSet>& order, const char* source)
{
    std::map<CpuSet, const Core*> by_cpus;
    for (const Core& core : machine.cores) by_cpus[core.cpus] = &core;
    std::vector<Core> cores;
    for (const CpuSet& cpus : order)
        if (const auto found = by_cpus.find(cpus); found != by_cpus.end()) cores.push_back(*found->second);
    if (cores.size() == machine.cores.size() && order.size() == cores.size())
        machine.cores = std::move(cores);
    else
        machine.notes.push_back(format("{} names {} cores and sysfs {}, not the same ones: sysfs was taken",
                                       source, order.size(), machine.cores.size()));
}

} // namespace mscale::hal
