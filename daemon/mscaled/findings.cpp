#include "daemon/mscaled/findings.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::uint32_t least_special_step =
    0xfffffff0; // Slurm: batch, extern, interactive and pending lie above

bool is_broken(const contract::TaskRecord& promised, const Thread& thread)
{
    if (promised.cpus.empty()) return false; // no cores were promised
    if (!promised.cpus.contains(thread.cpus)) return true;
    const bool first_of_role = !promised.role.empty() && thread.id == promised.process.pid;
    return first_of_role && thread.cpus != promised.cpus;
}

Breach breach_of(const contract::TaskRecord& promised, const Thread& thread)
{
    Breach breach{{{"pid", std::to_string(promised.process.pid)}}};
    if (thread.id != promised.process.pid) breach.fields.emplace_back("thread", std::to_string(thread.id));
    breach.fields.emplace_back("role", promised.role.empty() ? "task" : promised.role);
    breach.fields.emplace_back("promised", to_string(promised.cpus));
    breach.fields.emplace_back("found", to_string(thread.cpus));
    return breach;
}

Breach breach_of(const PageFinding& pages)
{
    Breach breach{{{"pages", format("{}kB", pages.page_bytes >> 10)}}};
    if (pages.numa)
        breach.fields.emplace_back("numa", std::to_string(*pages.numa));
    else
        breach.fields.emplace_back("mount", pages.mount);
    breach.fields.emplace_back("promised", std::to_string(pages.promised));
    breach.fields.emplace_back("found", std::to_string(pages.found));
    return breach;
}

} // namespace

CpuSet found_cpus(const ProcessFinding& finding)
{
    CpuSet cpus;
    for (const Thread& thread : finding.threads) cpus = cpus | thread.cpus;
    return cpus;
}

bool is_step_of_srun(std::uint32_t step_id)
{
    return step_id < least_special_step;
}

bool is_of_srun(const contract::TaskRecord& task)
{
    return task.role.empty() && is_step_of_srun(task.step_id);
}

bool has_ended_step(const Findings& findings)
{
    std::map<std::uint32_t, bool> alive; // by step
    for (const ProcessFinding& process : findings.processes)
        if (is_of_srun(process.promised)) alive[process.promised.step_id] |= !process.threads.empty();
    return std::ranges::any_of(alive, [](const auto& step) { return !step.second; });
}

bool has_left_tasks(const contract::StepRecord& step, bool stepd_lives, const Findings& findings)
{
    if (step.stepd.pid == 0 || stepd_lives) return false;
    return std::ranges::any_of(findings.processes, [&step](const ProcessFinding& process) {
        return process.promised.step_id == step.step_id && is_of_srun(process.promised) && !process.threads.empty();
    });
}

std::optional<Breach> find_breach(const Findings& findings)
{
    for (const ProcessFinding& process : findings.processes) {
        for (const Thread& thread : process.threads) {
            if (is_broken(process.promised, thread)) return breach_of(process.promised, thread);
        }
    }
    for (const PageFinding& pages : findings.pages) {
        if (pages.found < pages.promised) return breach_of(pages);
    }
    return std::nullopt;
}

} // namespace mscale::daemon
