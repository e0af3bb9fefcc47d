#include "submit/job_shape.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "submit/slice_request.hpp"

namespace mscale::submit {

namespace {

using contract::Refusal;

void ask_cpus(const JobRequest& job, const Ruling& ruling, Decision& decision, std::vector<Refusal>& refusals)
{
    const unsigned needed = ruling.cores_per_task * ruling.cpus_per_core;
    if (needed == 0) return;
    if (job.cpus_per_task) {
        if (*job.cpus_per_task < needed)
            refusals.push_back({Code::too_few_cpus_asked, "--cpus-per-task",
                                std::to_string(*job.cpus_per_task),
                                format("the contract needs {} CPUs for each task ({} cores of {} CPU)",
                                       needed, ruling.cores_per_task, ruling.cpus_per_core),
                                format("leave -c out, or give -c {}", needed)});
        return;
    }
    if (needed > greatest_count) {
        refusals.push_back({Code::too_few_cores, "role.*.cores", std::to_string(needed),
                            "Slurm gives no task as many CPUs", "ask for fewer cores"});
        return;
    }
    decision.cpus_per_task = static_cast<std::uint16_t>(needed);
    const std::uint64_t together =
        std::uint64_t{needed} * job.tasks.value_or(std::max(1U, job.min_nodes.value_or(1)));
    const auto cpus = static_cast<std::uint32_t>(std::min<std::uint64_t>(together, 0x7fffffff));
    if (job.min_cpus.value_or(0) < cpus) decision.min_cpus = cpus;
    if (job.max_cpus && *job.max_cpus != 0 && *job.max_cpus < cpus) decision.max_cpus = cpus;
}

void ask_slices(const JobRequest& job, const Ruling& ruling, const std::string& gres_name, Decision& decision,
                std::vector<Refusal>& refusals)
{
    if (ruling.chunks_per_node == 0) return;
    auto request =
        add_slices(job.tres_per_node, job.other_tres, gres_name, ruling.chunks_per_node, job.gres_prefix);
    if (request)
        decision.tres_per_node = std::move(*request);
    else
        refusals.push_back({request.error().code, "gpu.sm", "--gres=" + job.tres_per_node,
                            request.error().text, request.error().cure});
}

/// A job comes back after the loss of its batch host only by a requeue.
bool relies_on_requeue(const contract::Contract& contract)
{
    return contract.on_breach == contract::OnBreach::requeue || contract.ft != contract::Ft{};
}

void ask_requeue(const JobRequest& job, const contract::Contract& contract, Decision& decision,
                 std::vector<Refusal>& refusals)
{
    if (!job.has_script || !relies_on_requeue(contract)) return;
    if (job.requeue == false)
        refusals.push_back({Code::requeue_not_possible,
                            contract.on_breach == contract::OnBreach::requeue ? "on_breach.action" : "ft",
                            "--no-requeue", "the contract relies on a requeue that the job forbids",
                            "leave --no-requeue out"});
    else
        decision.requeue = true;
}

/// Only with a script: raising the nodes of an srun that allocates for itself divides by zero in
/// slurmctld 22.05.
void ask_spares(const JobRequest& job, const contract::Contract& contract, Decision& decision)
{
    const unsigned spares = contract.ft.spares.value_or(0);
    if (spares == 0 || !job.has_script) return;
    decision.keep_on_node_fail = true;
    decision.min_nodes = count_needed_nodes(job, contract);
    if (job.max_nodes.value_or(0) > 0) decision.max_nodes = *job.max_nodes + spares;
}

} // namespace

std::uint32_t count_needed_nodes(const JobRequest& job, const contract::Contract& contract)
{
    const std::uint32_t spares = job.has_script ? contract.ft.spares.value_or(0) : 0;
    return std::max(1U, job.min_nodes.value_or(1)) + spares;
}

std::vector<Refusal> shape_job(const JobRequest& job, const contract::Contract& contract,
                               const Ruling& ruling, const std::string& gres_name, Decision& decision)
{
    std::vector<Refusal> refusals;
    ask_cpus(job, ruling, decision, refusals);
    ask_slices(job, ruling, gres_name, decision, refusals);
    ask_requeue(job, contract, decision, refusals);
    ask_spares(job, contract, decision);
    return refusals;
}

} // namespace mscale::submit
