#include "daemon/mscaled/part_search.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"
#include "contract/parse.hpp"
#include "contract/verdict.hpp"
#include "hal/probe.hpp"

namespace mscale::daemon {

namespace {

/// The pages are those that the job holds: that no others are free says nothing.
bool is_of_pages(const contract::Refusal& refusal)
{
    return refusal.code == Code::too_few_huge_pages || refusal.code == Code::huge_page_size;
}

bool has_part(const contract::WorkerPlan& worker, const Part& part)
{
    if (part.kind == PartKind::gpu && worker.gpu_pci == part.name) return true;
    return std::ranges::any_of(worker.roles, [&part](const contract::RolePlan& role) {
        return (part.kind == PartKind::gpu ? role.gpu_pci : role.disk) == part.name;
    });
}

bool works_with(const contract::StepRecord& step, const Part& part)
{
    return std::ranges::any_of(step.plan.workers,
                               [&part](const contract::WorkerPlan& worker) { return has_part(worker, part); });
}

/// What Slurm granted to the newest step that had the part; a job without steps may be planned anywhere.
contract::Allocation find_allocation(const contract::LedgerRecord& record, const Part& lost)
{
    contract::Allocation allocation{{}, 1, {}, record.sm_slices, record.lost_gpus};
    if (lost.kind == PartKind::gpu) allocation.lost_gpus.push_back(lost.name);
    for (const contract::StepRecord& step : record.steps) {
        if (!works_with(step, lost)) continue;
        allocation.cpus = step.cpus;
        allocation.tasks = static_cast<unsigned>(step.plan.workers.size());
    }
    return allocation;
}

/// What the first worker has by `plan` for the clause; all workers have it, or the plan would be refused.
std::string find_place_of(const contract::Plan& plan, const Part& lost)
{
    for (const contract::WorkerPlan& worker : plan.workers) {
        if (lost.clause == "gpu") return worker.gpu_pci;
        for (const contract::RolePlan& role : worker.roles)
            if (lost.clause.starts_with(format("role.{}.", role.name)))
                return lost.kind == PartKind::gpu ? role.gpu_pci : role.disk;
    }
    return "";
}

} // namespace

std::string find_other(const contract::LedgerRecord& record, const contract::Contract& contract, const Part& lost,
                       hal::Machine machine, const contract::Site& site)
{
    const std::string name = split_disk(lost.name).first;
    std::erase_if(machine.disks, [&name](const hal::Disk& disk) { return disk.name == name; });
    const auto verdict = contract::verify(contract, {machine, site, find_allocation(record, lost)});
    return std::ranges::all_of(verdict.refusals, is_of_pages) ? find_place_of(verdict.plan, lost) : "";
}

std::string seek_other(const contract::LedgerRecord& record, const Part& lost, const contract::Site& site)
{
    const auto parsed =
        contract::parse_contract(record.contract, "ledger", contract::ProfileDirectory(site.profiles));
    auto machine = hal::probe_machine({Root(), site.nvml_library});
    if (!machine) log_error("another part can't be sought", machine.error());
    return parsed.ok() && machine ? find_other(record, parsed.contract, lost, std::move(*machine), site) : "";
}

} // namespace mscale::daemon
