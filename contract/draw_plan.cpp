#include "contract/plan.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "contract/device.hpp"
#include "contract/gpu_slice.hpp"

namespace mscale::contract {
namespace {

/// A mark for each role of each worker: a, b, … for roles, and upper case for the workers' own cores.
struct Marks {
    std::map<unsigned, char> by_cpu;
    std::vector<std::string> legend;
};

void mark_cpus(Marks& marks, const CpuSet& cpus, char mark, const std::string& meaning)
{
    if (cpus.empty()) return;
    for (const unsigned cpu : cpus.cpus()) marks.by_cpu[cpu] = mark;
    marks.legend.push_back(format("{}  {}: CPUs {}", mark, meaning, to_string(cpus)));
}

constexpr char further_roles = '+', further_workers = '#';

/// Each mark stands for one thing, but the last, which stands for all further ones: their CPUs tell them apart.
char mark_of_role(std::size_t index)
{
    constexpr std::string_view marks = "abcdefghijklmnopqrstuvwxyz0123456789";
    return index < marks.size() ? marks[index] : further_roles;
}

char mark_of_worker(std::size_t index)
{
    constexpr std::string_view marks = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return index < marks.size() ? marks[index] : further_workers;
}

Marks mark_plan(const Plan& plan)
{
    Marks marks;
    for (const WorkerPlan& worker : plan.workers)
        mark_cpus(marks, worker.main, mark_of_worker(worker.index), format("worker {}", worker.index));
    std::size_t role_number = 0;
    for (const WorkerPlan& worker : plan.workers)
        for (const RolePlan& role : worker.roles)
            mark_cpus(marks, role.cpus, mark_of_role(role_number++),
                      format("worker {}, role {}", worker.index, role.name));
    return marks;
}

std::string draw_cores(const hal::Machine& machine, std::optional<unsigned> numa, const Marks& marks)
{
    std::string cores;
    for (const hal::Core& core : machine.cores) {
        if (core.numa != numa || core.cpus.empty()) continue;
        char mark = '.';
        for (const unsigned cpu : core.cpus.cpus())
            if (const auto found = marks.by_cpu.find(cpu); found != marks.by_cpu.end()) mark = found->second;
        cores += mark;
    }
    return cores;
}

std::string draw_pages(const Plan& plan, const hal::NumaNode& node)
{
    std::vector<std::string> parts;
    for (const PagePlan& pages : plan.pages) {
        if (pages.numa != node.id) continue;
        const auto pool =
            std::ranges::find(node.huge_pages, pages.page_bytes, &hal::HugePagePool::page_bytes);
        const std::uint64_t free = pool == node.huge_pages.end() ? 0 : pool->free;
        parts.push_back(
            format("{} of {} free pages of {}", pages.count, free, format_bytes(pages.page_bytes)));
    }
    return join(parts, ", ");
}

/// "GPU 0 (0000:1b:00.0)  ####............  worker 0: 32 SMs"
std::string draw_gpu(const Plan& plan, const hal::Gpu& gpu)
{
    const unsigned all = count_chunks(gpu);
    std::string bar, holders;
    for (const WorkerPlan& worker : plan.workers) {
        if (worker.gpu != gpu.index) continue;
        bar.append(worker.chunks, mark_of_worker(worker.index));
        holders += format("{}worker {}{}", holders.empty() ? "" : ", ", worker.index,
                          worker.sms ? format(": {} of {} SMs", worker.sms, gpu.sms) : "");
    }
    if (bar.size() < all) bar.append(all - bar.size(), '.');
    return format("{}  {}{}{}", describe(gpu), bar, bar.empty() || holders.empty() ? "" : "  ", holders);
}

/// The workers and roles that use a disk: RolePlan::disk begins with its name.
std::string users_of(const Plan& plan, const hal::Disk& disk)
{
    std::string users;
    for (const WorkerPlan& worker : plan.workers)
        for (const RolePlan& role : worker.roles)
            if (role.disk == disk.name || role.disk.starts_with(disk.name + " "))
                users += format("{}worker {}, role {}", users.empty() ? "" : "; ", worker.index, role.name);
    return users;
}

/// The devices of one NUMA node, or those of unknown place: every GPU, and what the plan uses of disks and
/// ports.
std::vector<std::string> draw_devices(const Plan& plan, const hal::Machine& machine,
                                      std::optional<unsigned> numa)
{
    std::vector<std::string> lines;
    for (const hal::Gpu& gpu : machine.gpus)
        if (gpu.locality.numa == numa) lines.push_back(draw_gpu(plan, gpu));
    for (const hal::Disk& disk : machine.disks)
        if (const std::string users = users_of(plan, disk); disk.locality.numa == numa && !users.empty())
            lines.push_back(format("{}  {}", disk.name, users));
    for (const hal::RdmaPort& port : machine.ports)
        if (port.locality.numa == numa && std::ranges::count(plan.ports, describe(port)))
            lines.push_back(format("{}  {} at {} Gb/s", describe(port), port.link_layer, port.rate_gbps));
    return lines;
}

/// Lines that are longer go on below, so that nothing of the plan is lost.
void write_line(std::string& text, std::string line, std::size_t columns)
{
    const std::size_t width = std::max<std::size_t>(columns, 20);
    while (line.size() > width) {
        text += line.substr(0, width) + "\n";
        line = "      " + line.substr(width);
    }
    text += line + "\n";
}

void draw_node(std::string& text, const Plan& plan, const hal::Machine& machine, const hal::NumaNode& node,
               const Marks& marks, unsigned columns)
{
    const std::string pages = draw_pages(plan, node);
    const auto devices = draw_devices(plan, machine, node.id);
    if (node.cpus.empty() && pages.empty() && devices.empty()) return;
    write_line(text, format("NUMA node {}  CPUs {}", node.id, to_string(node.cpus)), columns);
    write_line(text, "  cores  " + draw_cores(machine, node.id, marks), columns);
    if (!pages.empty()) write_line(text, "  pages  " + pages, columns);
    for (const std::string& device : devices) write_line(text, "  " + device, columns);
}

void draw_unknown(std::string& text, const Plan& plan, const hal::Machine& machine, unsigned columns)
{
    const auto devices = draw_devices(plan, machine, std::nullopt);
    if (!devices.empty()) write_line(text, "place unknown", columns);
    for (const std::string& device : devices) write_line(text, "  " + device, columns);
}

} // namespace

std::string draw_plan(const Plan& plan, const hal::Machine& machine, unsigned columns)
{
    const Marks marks = mark_plan(plan);
    std::string text;
    write_line(text, machine.name, columns);
    for (const hal::NumaNode& node : machine.numa) draw_node(text, plan, machine, node, marks, columns);
    draw_unknown(text, plan, machine, columns);
    for (const std::string& line : marks.legend) write_line(text, line, columns);
    for (const std::string& note : plan.notes) write_line(text, "note: " + note, columns);
    return text;
}

} // namespace mscale::contract
