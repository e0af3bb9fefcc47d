#include "hal/numa.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "hal/huge_pages.hpp"
#include "hal/sysfs.hpp"

namespace mscale::hal {
namespace {

constexpr const char* nodes_directory = "/sys/devices/system/node";

/// The bytes of "Node 0 MemFree:   123 kB" or "MemFree: 123 kB"; 0 when the line is not there.
std::uint64_t read_meminfo(std::string_view meminfo, std::string_view key)
{
    for (const std::string_view line : split(meminfo, '\n')) {
        const std::size_t found = line.find(key);
        if (found == std::string_view::npos) continue;
        std::string_view rest = trim(line.substr(found + key.size()));
        if (rest.ends_with("kB")) rest = trim(rest.substr(0, rest.size() - 2));
        return parse_number(rest).value_or(0) << 10;
    }
    return 0;
}

/// What the page cache holds of files on disks; what lies in memory alone (tmpfs) isn't given back.
std::uint64_t read_cache(std::string_view meminfo, std::string_view key)
{
    const std::uint64_t pages = read_meminfo(meminfo, key);
    return pages - std::min(pages, read_meminfo(meminfo, "Shmem:"));
}

std::vector<unsigned> read_distances(const Root& root, const std::string& path)
{
    std::vector<unsigned> distances;
    const std::string text = read_text(root, path);
    for (const std::string_view field : split(text, ' '))
        if (const auto distance = parse_number(field)) distances.push_back(static_cast<unsigned>(*distance));
    return distances;
}

Result<NumaNode> read_node(const Root& root, unsigned id)
{
    const std::string path = format("{}/node{}", nodes_directory, id);
    const Result<std::string> list = root.read_line(path + "/cpulist");
    if (!list) return restate(Code::machine_unreadable, list.error(), list.error().text);
    const Result<CpuSet> cpus = parse_cpu_list(*list, true);
    if (!cpus) return failure(Code::machine_unreadable, path + "/cpulist: " + cpus.error().text);
    const std::string meminfo = read_text(root, path + "/meminfo");
    return NumaNode{id,
                    *cpus,
                    read_meminfo(meminfo, "MemTotal:"),
                    read_meminfo(meminfo, "MemFree:"),
                    read_huge_pages(root, path + "/hugepages"),
                    read_distances(root, path + "/distance"),
                    read_cache(meminfo, "FilePages:")};
}

NumaNode read_only_node(const Root& root, const CpuSet& online)
{
    const std::string meminfo = read_text(root, "/proc/meminfo");
    return NumaNode{0,
                    online,
                    read_meminfo(meminfo, "MemTotal:"),
                    read_meminfo(meminfo, "MemFree:"),
                    read_huge_pages(root, "/sys/kernel/mm/hugepages"),
                    {10},
                    read_cache(meminfo, "Cached:")};
}

} // namespace

Result<void> read_numa(const Root& root, Machine& machine)
{
    const std::string online_path = std::string(nodes_directory) + "/online";
    if (!root.exists(online_path)) {
        machine.numa = {read_only_node(root, machine.online)};
        machine.notes.push_back("the kernel knows no NUMA nodes: node 0 stands for the whole memory");
        return {};
    }
    // Node numbers are written in the same grammar as CPU lists.
    const CpuSet ids = read_cpus(root, online_path);
    for (const unsigned id : ids.cpus()) {
        Result<NumaNode> node = read_node(root, id);
        if (!node) return tl::unexpected(node.error());
        node->cpus = node->cpus & machine.online;
        machine.numa.push_back(std::move(*node));
    }
    subtract_reserved_pages(root, machine);
    if (machine.numa.empty())
        return failure(Code::machine_unreadable, online_path + ": no NUMA node is listed");
    return {};
}

} // namespace mscale::hal
