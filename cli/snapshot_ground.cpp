#include "cli/snapshot_ground.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::cli {
namespace {

constexpr std::size_t names_shown = 8;

std::string list_some(std::vector<std::string> names)
{
    const std::size_t more = names.size() > names_shown ? names.size() - names_shown : 0;
    names.resize(names.size() - more);
    return join(names, ",") + (more > 0 ? format(" and {} more", more) : "");
}

/// Slurm hands out memory only where it counts it.
std::uint64_t count_spared(const SlurmNode& node)
{
    return std::min(node.spared_memory_mib, node.memory_mib) << 20;
}

} // namespace

Ground judge_held_memory(const contract::Site& site, const SlurmView& view)
{
    if (site.held_memory == 0)
        return {"none: a requeued job finds its state only in the files of ft.spill ([recovery] held_memory)", ""};
    const std::string held = format_bytes(site.held_memory);
    if (!view.counts_memory)
        return {format("{}, but Slurm counts no memory: jobs may take all of a node", held),
                "count it (SelectTypeParameters=CR_Core_Memory or CR_CPU_Memory)"};
    std::vector<std::string> short_of;
    for (const SlurmNode& node : view.nodes)
        if (count_spared(node) < site.held_memory) short_of.push_back(node.name);
    if (short_of.empty()) return {format("{}, which Slurm hands out on none of the {} nodes", held, view.nodes.size()), ""};
    return {format("{}, but Slurm hands out more than RealMemory less so much on {} of {} nodes: {}", held, short_of.size(),
                   view.nodes.size(), list_some(short_of)),
            format("set MemSpecLimit={} (MiB) or more on their NodeName lines, or lower held_memory",
                   (site.held_memory + (1 << 20) - 1) >> 20)};
}

Ground describe_domains(const contract::Site& site, const Json& answer)
{
    const Json domains = answer.value("domains", Json::object());
    const auto nodes = answer.value("nodes", std::uint64_t{0});
    const std::string setting = format("[recovery] domains = {}", site.domains);
    if (domains.empty())
        return {format("each of the {} nodes alone ({}{})", nodes, setting,
                       site.domains == "switch" ? ", and Slurm's topology has no leaf switch" : ""), ""};
    std::uint64_t in_domains = 0, largest = 0;
    for (const auto& [name, count] : domains.items()) {
        in_domains += count.get<std::uint64_t>();
        largest = std::max(largest, count.get<std::uint64_t>());
    }
    return {format("{} of {} nodes in {} domains, the largest of {} ({}); copies leave their domain where it holds at most half "
                   "of a job's nodes",
                   in_domains, nodes, domains.size(), largest, setting),
            ""};
}

Ground judge_charging(const SlurmView& view)
{
    const auto plugins = split(view.task_plugins, ',');
    const bool has_cgroups = std::ranges::any_of(
        plugins, [](std::string_view plugin) { return trim(plugin) == "cgroup" || trim(plugin) == "task/cgroup"; });
    if (has_cgroups) return {"charged to the job that saves them (task/cgroup)", ""};
    return {"charged to mscaled: TaskPlugin has no task/cgroup, so that no job's memory limit counts them", ""};
}

Ground describe_pages(std::uint64_t huge_page)
{
    if (huge_page > 0) return {format("of {} each, where memory isn't in pieces", format_bytes(huge_page)), ""};
    return {"small ones: the kernel grants none to shared memory (echo advise >/sys/kernel/mm/transparent_hugepage/shmem_enabled); "
            "a rank that starts again waits for each to be mapped",
            ""};
}

} // namespace mscale::cli
