#include "daemon/mscaled/part.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "daemon/mscaled/findings.hpp"

namespace mscale::daemon {

namespace {

void add_part(std::vector<Part>& parts, PartKind kind, const std::string& name, const std::string& clause)
{
    const bool known =
        std::ranges::any_of(parts, [&](const Part& part) { return part.kind == kind && part.name == name; });
    if (!name.empty() && !known) parts.push_back({kind, name, clause});
}

void add_devices(std::vector<Part>& parts, const contract::Plan& plan)
{
    for (const contract::WorkerPlan& worker : plan.workers) {
        add_part(parts, PartKind::gpu, worker.gpu_pci, "gpu");
        for (const contract::RolePlan& role : worker.roles) {
            add_part(parts, PartKind::disk, role.disk, format("role.{}.disk", role.name));
            add_part(parts, PartKind::gpu, role.gpu_pci, format("role.{}.gpu", role.name));
        }
    }
}

std::vector<const contract::Plan*> find_plans(const contract::LedgerRecord& record, const Living& lives)
{
    std::vector<const contract::Plan*> of_srun, special;
    const contract::StepRecord* const newest = find_newest_step(record);
    for (const contract::StepRecord& step : record.steps) {
        const bool counts = &step == newest || step.stepd.pid == 0 || lives(step.stepd);
        if (step.refusals.empty() && counts) (is_step_of_srun(step.step_id) ? of_srun : special).push_back(&step.plan);
    }
    return of_srun.empty() ? special : of_srun;
}

} // namespace

std::string_view name_of(PartKind kind)
{
    switch (kind) {
    case PartKind::port: return "port";
    case PartKind::disk: return "drive";
    case PartKind::gpu: return "GPU";
    case PartKind::stepd: return "slurmstepd";
    }
    return "";
}

const contract::StepRecord* find_newest_step(const contract::LedgerRecord& record)
{
    const contract::StepRecord* newest = nullptr;
    for (const contract::StepRecord& step : record.steps)
        if (step.refusals.empty() && is_step_of_srun(step.step_id)) newest = &step;
    return newest;
}

std::vector<Part> list_parts(const contract::LedgerRecord& record, const Living& lives)
{
    std::vector<Part> parts;
    for (const std::string& port : record.plan.ports) add_part(parts, PartKind::port, port, "rdma.port");
    for (const contract::Plan* plan : find_plans(record, lives)) add_devices(parts, *plan);
    if (const contract::StepRecord* const newest = find_newest_step(record); newest && newest->stepd.pid != 0)
        add_part(parts, PartKind::stepd, format("{}.{}", record.job_id, newest->step_id), "");
    return parts;
}

std::pair<std::string, std::string> split_disk(const std::string& name)
{
    const std::size_t open = name.find(" (");
    if (open == std::string::npos || !name.ends_with(')')) return {name, ""};
    return {name.substr(0, open), name.substr(open + 2, name.size() - open - 3)};
}

} // namespace mscale::daemon
