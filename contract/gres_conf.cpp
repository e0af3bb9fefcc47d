#include "contract/gres_conf.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/text.hpp"
#include "contract/device.hpp"
#include "contract/gpu_slice.hpp"

namespace mscale::contract {
namespace {

/// Slurm's GRES type of a GPU: the word of its model that has a digit, "h100"; "gpu" when there is none.
std::string type_of(const hal::Gpu& gpu)
{
    const std::string word = model_word(gpu.model);
    return word == gpu.model ? "gpu" : word;
}

std::string gpu_line(const hal::Machine& machine, std::string_view nodes, const hal::Gpu& gpu)
{
    std::string line =
        format("NodeName={} Name=gpu Type={} File=/dev/nvidia{}", nodes, type_of(gpu), *gpu.minor);
    if (gpu.locality.numa && !gpu.locality.cpus.empty())
        line += format(" Cores={}", to_string(to_core_ids(machine, gpu.locality.cpus)));
    return line;
}

void add_gpus(GresLines& lines, const hal::Machine& machine, std::string_view nodes,
              std::map<std::string, unsigned>& counts)
{
    for (const hal::Gpu& gpu : machine.gpus) {
        if (!gpu.minor) {
            lines.notes.push_back(
                format("{} has no device file /dev/nvidiaN: it is left out", describe(gpu)));
            continue;
        }
        lines.gres_conf.push_back(gpu_line(machine, nodes, gpu));
        ++counts["gpu:" + type_of(gpu)];
    }
}

/// Slurm before 23.11 can't keep slices of several GPUs apart (DESIGN §5), so a file per slice is for one
/// GPU.
void add_slices(GresLines& lines, const hal::Machine& machine, std::string_view nodes, std::string_view name,
                std::string_view directory, std::map<std::string, unsigned>& counts)
{
    if (machine.gpus.empty()) return;
    const hal::Gpu& gpu = machine.gpus.front();
    const unsigned chunks = count_chunks(gpu);
    if (machine.gpus.size() > 1) {
        lines.notes.push_back(
            format("no {} lines: a node with {} GPUs needs gres/shard of Slurm 23.11 or newer", name,
                   machine.gpus.size()));
    } else if (chunks == 0) {
        lines.notes.push_back(format("no {} lines: {}", name, describe_sms(gpu)));
    } else {
        lines.gres_conf.push_back(format("NodeName={} Name={} Type={} File={}/gpu{}-slice[0-{}]", nodes, name,
                                         type_of(gpu), directory, gpu.index, chunks - 1));
        counts[format("{}:{}", name, type_of(gpu))] = chunks;
    }
}

/// "Sockets=2 CoresPerSocket=56 ThreadsPerCore=2"; nothing for a machine whose sockets aren't equal.
std::string shape_of(const hal::Machine& machine)
{
    std::map<unsigned, std::size_t> sockets;
    std::size_t threads = 0;
    for (const hal::Core& core : machine.cores) {
        ++sockets[core.package];
        threads = std::max(threads, core.cpus.size());
    }
    const std::size_t cores = sockets.empty() ? 0 : sockets.begin()->second;
    if (std::ranges::any_of(sockets, [&](const auto& socket) { return socket.second != cores; })) return "";
    return format(" Sockets={} CoresPerSocket={} ThreadsPerCore={}", sockets.size(), cores, threads);
}

/// The value of `key` (in any case) in a line of gres.conf, or "".
std::string find_value(std::string_view line, std::string_view key)
{
    const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    for (const std::string_view word : split(line.substr(0, line.find('#')), ' ')) {
        const std::size_t equals = word.find('=');
        if (equals != std::string_view::npos && std::ranges::equal(word.substr(0, equals), key, same))
            return std::string(trim(word.substr(equals + 1)));
    }
    return "";
}

std::optional<std::string> check_cores(const hal::Machine& machine, const std::string& value)
{
    const auto cores = parse_cpu_list(value);
    if (!cores) return format("Cores={}: {}", value, cores.error().text);
    if (cores->cpus().back() < machine.cores.size()) return std::nullopt;
    const CpuSet ids = to_core_ids(machine, *cores);
    const std::string range = format("Slurm numbers the cores 0-{}", machine.cores.size() - 1);
    if (!machine.online.contains(*cores) || ids.empty())
        return format("Cores={}: {}, and these aren't all CPUs of the machine either", value, range);
    return format("Cores={} holds CPU numbers, but {}: write Cores={}", value, range, to_string(ids));
}

/// A GPU's cores must make up whole sockets, else Slurm finds the node invalid unless it takes NUMA nodes for
/// sockets.
std::optional<std::string> check_autodetect(const hal::Machine& machine)
{
    for (const hal::Gpu& gpu : machine.gpus) {
        const CpuSet near = to_core_ids(machine, gpu.locality.cpus);
        if (near.empty()) continue;
        std::set<unsigned> sockets;
        for (const unsigned id : near.cpus()) sockets.insert(machine.cores[id].package);
        const auto whole = std::ranges::count_if(
            machine.cores, [&](const hal::Core& core) { return sockets.contains(core.package); });
        if (static_cast<std::size_t>(whole) == near.size()) continue;
        return format(
            "AutoDetect gives {} the cores {}, but its socket has {} cores: Slurm will find that the "
            "affinity "
            "doesn't match the socket boundaries and make the node invalid; write the lines that `mscale "
            "inventory --gres-conf` prints, or set SlurmdParameters=numa_node_as_socket",
            describe(gpu), to_string(near), whole);
    }
    return std::nullopt;
}

} // namespace

CpuSet to_core_ids(const hal::Machine& machine, const CpuSet& cpus)
{
    CpuSet ids;
    for (std::size_t i = 0; i < machine.cores.size(); ++i)
        if (machine.cores[i].cpus.intersects(cpus)) ids.insert(static_cast<unsigned>(i));
    return ids;
}

GresLines make_gres_lines(const hal::Machine& machine, std::string_view nodes, std::string_view gres_name,
                          std::string_view slice_directory)
{
    GresLines lines;
    std::map<std::string, unsigned> counts;
    add_gpus(lines, machine, nodes, counts);
    add_slices(lines, machine, nodes, gres_name, slice_directory, counts);
    std::vector<std::string> gres, names;
    for (const auto& [name, count] : counts) gres.push_back(format("{}:{}", name, count));
    for (const auto& [name, count] : counts)
        if (const std::string kind = name.substr(0, name.find(':')); !std::ranges::count(names, kind))
            names.push_back(kind);
    if (!names.empty()) lines.slurm_conf.push_back(format("GresTypes={}", join(names, ",")));
    if (std::ranges::count(names, gres_name))
        lines.slurm_conf.push_back(format("AccountingStorageTRES=gres/{}", gres_name));
    lines.slurm_conf.push_back(
        format("NodeName={}{}{}", nodes, shape_of(machine), gres.empty() ? "" : " Gres=" + join(gres, ",")));
    return lines;
}

std::optional<std::string> check_gres_line(const hal::Machine& machine, std::string_view line)
{
    const std::string detect = find_value(line, "AutoDetect");
    if (!detect.empty() && detect != "off") return check_autodetect(machine);
    const std::string cores = find_value(line, "Cores");
    return cores.empty() ? std::nullopt : check_cores(machine, cores);
}

} // namespace mscale::contract
