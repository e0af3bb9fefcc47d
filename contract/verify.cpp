#include "contract/verdict.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/draft.hpp"
#include "contract/given.hpp"

namespace mscale::contract {
namespace {

RolePlan plan_role(const Seat& seat)
{
    RolePlan plan;
    plan.name = seat.name;
    plan.cpus = seat.cpus;
    plan.numa = seat.numa;
    if (seat.role->hugepages && seat.numa)
        plan.pages = PagePlan{seat.role->hugepages->page_bytes, seat.role->hugepages->count, *seat.numa};
    if (seat.disk)
        plan.disk = seat.disk->serial.empty() ? seat.disk->name
                                              : format("{} ({})", seat.disk->name, seat.disk->serial);
    plan.io_depth = seat.role->io_depth;
    if (seat.gpu) plan.gpu = seat.gpu->index;
    if (seat.gpu) plan.gpu_pci = hal::to_string(seat.gpu->pci);
    return plan;
}

WorkerPlan plan_worker(const Draft& draft, std::size_t index)
{
    const WorkerDraft& worker = draft.workers[index];
    WorkerPlan plan;
    plan.index = static_cast<unsigned>(index);
    plan.sms = worker.sms;
    plan.chunks = worker.chunks;
    plan.main = worker.main;
    if (worker.gpu) plan.gpu = worker.gpu->index;
    if (worker.gpu) plan.gpu_pci = hal::to_string(worker.gpu->pci);
    for (const Seat& seat : draft.seats)
        if (seat.worker == index) plan.roles.push_back(plan_role(seat));
    return plan;
}

/// A set that holds for the node is shared out, so the largest part counts.
std::size_t cores_of_largest_worker(const Draft& draft)
{
    std::vector<std::size_t> cores(draft.workers.size(), 0);
    for (const Seat& seat : draft.seats) {
        const auto* count = seat.role->cores ? std::get_if<unsigned>(&*seat.role->cores) : nullptr;
        const bool is_set = seat.role->cores && count == nullptr;
        cores[seat.worker] += count ? *count : is_set ? draft.cores.split_cores(seat.cpus).size() : 0;
    }
    return *std::ranges::max_element(cores);
}

std::vector<std::string> unenforced_clauses(const Contract& contract)
{
    std::vector<std::string> names;
    for (const Given& given : given_clauses(contract))
        if (given.clause->held == Held::placed) names.push_back(given.name);
    return names;
}

std::string describe_totals(const Draft& draft, std::size_t cores_per_worker)
{
    const std::size_t workers = draft.workers.size();
    std::string text = format("per node: {} worker{} of {} core{}", workers, workers == 1 ? "" : "s",
                              cores_per_worker, cores_per_worker == 1 ? "" : "s");
    for (const PagePlan& pages : draft.pages)
        text += format(", {} pages of {} on NUMA node {}", pages.count, format_bytes(pages.page_bytes),
                       pages.numa);
    return text;
}

Verdict conclude(Draft& draft)
{
    Plan plan;
    for (std::size_t index = 0; index < draft.workers.size(); ++index)
        plan.workers.push_back(plan_worker(draft, index));
    for (const WorkerPlan& worker : plan.workers) plan.chunks += worker.chunks;
    for (const hal::RdmaPort* port : draft.ports)
        plan.ports.push_back(format("{}:{}", port->device, port->port));
    plan.pages = draft.pages;
    plan.cores_per_worker = static_cast<unsigned>(cores_of_largest_worker(draft));
    plan.unenforced = unenforced_clauses(draft.contract);
    plan.notes = draft.notes;
    plan.notes.push_back(describe_totals(draft, plan.cores_per_worker));
    plan.notes.insert(plan.notes.end(), draft.warnings.begin(), draft.warnings.end());
    return {std::move(draft.refusals), std::move(draft.warnings), std::move(plan)};
}

/// Before a single place is sought: 64 KiB of text can name thousands of roles, and each worker has them all.
std::optional<Refusal> refuse_size(const Contract& contract, const Question& question)
{
    const std::size_t workers = count_workers(contract, question), roles = contract.roles.size();
    if (roles == 0 || workers <= most_roles / roles) return std::nullopt;
    const std::string clause = "contract.workers";
    return Refusal{Code::too_many_roles, clause, value_of(contract, clause),
                   format("{} roles of {} worker{} are {} on a node, and at most {} are planned", roles,
                          workers, workers == 1 ? "" : "s", roles * workers, most_roles),
                   roles > most_roles ? format("use at most {} roles", most_roles)
                                      : format("use at most {} workers per node", most_roles / roles)};
}

} // namespace

Verdict verify(const Contract& contract, const Question& question)
{
    if (auto refusal = refuse_size(contract, question)) return {{std::move(*refusal)}, {}, {}};
    Draft draft(contract, question);
    verify_policy(draft);
    verify_gpus(draft);
    verify_rdma(draft);
    verify_disks(draft);
    verify_domains(draft);
    verify_core_sets(draft);
    verify_cores(draft);
    verify_abilities(draft);
    verify_hugepages(draft);
    verify_ft(draft);
    return conclude(draft);
}

} // namespace mscale::contract
