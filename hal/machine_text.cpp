#include "hal/machine_text.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "hal/device_text.hpp"
#include "hal/text_box.hpp"

namespace mscale::hal {
namespace {

constexpr std::size_t least_width = 40;     ///< narrower terminals get lines of this length
constexpr std::size_t least_box_width = 58; ///< what a line of a device needs; two fit into 120 columns
constexpr std::size_t most_box_width = 80;

std::string plural(std::size_t count, std::string_view noun)
{
    return format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "56 × 2 CPUs", "4 × 1 CPU + 2 × 2 CPUs".
std::string core_counts(const Machine& machine, const NumaNode& node)
{
    std::map<std::size_t, std::size_t> cores_by_cpus;
    for (const Core& core : machine.cores)
        if (core.cpus.intersects(node.cpus)) ++cores_by_cpus[core.cpus.size()];
    std::vector<std::string> parts;
    for (const auto& [cpus, cores] : cores_by_cpus)
        parts.push_back(format("{} × {}", cores, plural(cpus, "CPU")));
    return join(parts, " + ");
}

std::string pool_text(const HugePagePool& pool)
{
    std::string text = format("{} × {}", format_bytes(pool.page_bytes), pool.total);
    if (pool.total != 0) text += pool.free == pool.total ? ", all free" : format(", {} free", pool.free);
    return text;
}

Lines describe_node(const Machine& machine, const NumaNode& node)
{
    Lines lines;
    lines.push_back(format("cores   {}   {}", core_counts(machine, node), to_string(node.cpus)));
    if (const CpuSet isolated = machine.isolated & node.cpus; !isolated.empty())
        lines.push_back(format("        isolated {}", to_string(isolated)));
    lines.push_back(
        format("memory  {}, {} free", round_bytes(node.memory_bytes), round_bytes(node.free_bytes)));
    std::vector<std::string> pools;
    for (const HugePagePool& pool : node.huge_pages) pools.push_back(pool_text(pool));
    if (!pools.empty()) lines.push_back("pages   " + join(pools, "  "));
    return lines;
}

/// Nodes without CPUs (memory of GPUs or CXL), those with equal memory on one line.
Lines describe_memory_nodes(const Machine& machine)
{
    std::map<std::uint64_t, CpuSet, std::greater<>> nodes_by_memory;
    for (const NumaNode& node : machine.numa)
        if (node.cpus.empty()) nodes_by_memory[node.memory_bytes].insert(node.id);
    Lines lines;
    for (const auto& [bytes, nodes] : nodes_by_memory)
        lines.push_back(format("{:<8} {} {}", bytes == 0 ? "empty" : round_bytes(bytes),
                               nodes.size() == 1 ? "node" : "nodes", to_string(nodes)));
    return lines;
}

std::string headline(const Machine& machine)
{
    const auto has_cpus = [](const NumaNode& node) { return !node.cpus.empty(); };
    const auto with_cpus =
        static_cast<std::size_t>(std::count_if(machine.numa.begin(), machine.numa.end(), has_cpus));
    std::string line =
        format("{} ({}): {}, {}, {}", machine.name, machine.origin, plural(machine.cores.size(), "core"),
               plural(machine.online.size(), "CPU"), plural(machine.numa.size(), "NUMA node"));
    if (with_cpus != machine.numa.size()) line += format(" ({} with CPUs)", with_cpus);
    if (!machine.kernel.release.empty()) line += ", Linux " + machine.kernel.release;
    return line;
}

std::vector<Lines> draw_nodes(const Machine& machine, std::size_t width)
{
    std::vector<Lines> boxes;
    for (const NumaNode& node : machine.numa)
        if (!node.cpus.empty())
            boxes.push_back(draw_box(format("node {}", node.id),
                                     {describe_node(machine, node), draw_devices(machine, node.id)}, width));
    const Lines unknown = draw_devices(machine, {});
    if (!unknown.empty()) boxes.push_back(draw_box("place unknown", {unknown}, width));
    const Lines memory = describe_memory_nodes(machine);
    if (!memory.empty()) boxes.push_back(draw_box("memory without CPUs", {memory}, width));
    return boxes;
}

} // namespace

std::string draw_machine(const Machine& machine, unsigned columns)
{
    const std::size_t width = std::max<std::size_t>(columns, least_width);
    const std::size_t per_row = std::max<std::size_t>((width + 1) / (least_box_width + 1), 1);
    const std::size_t box_width = std::min((width + 1) / per_row - 1, most_box_width);
    Lines lines = wrap(headline(machine), width, 4);
    for (std::string& line : arrange_boxes(draw_nodes(machine, box_width), per_row))
        lines.push_back(std::move(line));
    for (const std::string& note : machine.notes)
        for (std::string& line : wrap("note: " + note, width, 6)) lines.push_back(std::move(line));
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

} // namespace mscale::hal
