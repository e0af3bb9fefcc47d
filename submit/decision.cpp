#include "submit/decision.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/redundancy.hpp"
#include "contract/state.hpp"
#include "submit/job_shape.hpp"
#include "submit/judgement.hpp"
#include "submit/refusal_text.hpp"
#include "submit/spread.hpp"
#include "submit/ways_back.hpp"

namespace mscale::submit {

namespace {

using contract::Mode;
using contract::State;

Decision refuse(Outcome outcome, std::string message)
{
    Decision decision;
    decision.outcome = outcome;
    decision.message = bound_message(std::move(message));
    return decision;
}

/// The strictest mode of the partitions that the job may go to.
Mode find_mode(const JobRequest& job, const Policy& policy)
{
    const auto names = policy.inventory ? find_partitions(job, *policy.inventory) : job.partitions;
    if (names.empty()) return policy.site->mode;
    Mode strictest = Mode::off;
    for (const std::string& name : names)
        strictest = std::max(strictest, contract::mode_of(*policy.site, name));
    return strictest;
}

/// The partition is too small whatever its machines answer.
contract::Refusal refuse_size(const JobRequest& job, const Judgement& judgement, std::size_t needed)
{
    const std::size_t here = judgement.candidates->count_nodes(), asked = job.min_nodes.value_or(1);
    const std::size_t spares = needed > asked ? needed - asked : 0;
    const bool is_by_spares = asked <= here && spares > 0;
    const std::string reason =
        format("partition {} has {} node{}{}{}", printable(join(judgement.partitions, ",")), here,
               here == 1 ? "" : "s", job.excluded_nodes.empty() ? "" : " without those that the job excludes",
               spares == 0 ? "" : format("; with {} as spare the job needs {}", spares, needed));
    return {Code::too_few_nodes, is_by_spares ? "ft.spares" : "--nodes",
            std::to_string(is_by_spares ? spares : asked), reason,
            here <= spares ? std::string("use another partition")
            : is_by_spares ? format("ask for -N {}, beside which {} spare{} there is room for, or use another partition",
                                    here - spares, spares, spares == 1 ? "" : "s")
                           : format("ask for -N {} at most, or use another partition", here - spares)};
}

/// No two ranks of a coded group may be on one node.  Nothing where the job leaves the number of its nodes to Slurm.
std::optional<contract::Refusal> find_group_fault(const JobRequest& job, const contract::Ft& ft)
{
    const unsigned members = contract::coding_scheme_of(ft).members;
    if (job.min_nodes.value_or(0) == 0 || *job.min_nodes >= members) return std::nullopt;
    return contract::Refusal{Code::no_partner, "ft.redundancy", *ft.redundancy,
                             format("its groups have {} ranks, each on a node of its own, and the job asks for {} node{}", members,
                                    *job.min_nodes, *job.min_nodes == 1 ? "" : "s"),
                             format("ask for -N {}, spares apart, or for smaller groups", members)};
}

/// A job that leaves its nodes to Slurm gets at most one for each task, or those that it requires.
std::uint32_t count_most_nodes(const JobRequest& job)
{
    if (job.min_nodes.value_or(0) > 0) return *job.min_nodes;
    return std::max({1U, job.tasks.value_or(1), static_cast<std::uint32_t>(job.required_nodes.size())});
}

/// Copies lie on all nodes of the allocation, its spares too.
std::optional<contract::Refusal> find_copies_fault(const JobRequest& job, const contract::Contract& contract)
{
    const unsigned copies = contract.ft.copies.value_or(0);
    const std::uint32_t spares = count_needed_nodes(job, contract) - count_needed_nodes(job, {});
    const std::uint32_t most = count_most_nodes(job) + spares;
    if (most > copies) return std::nullopt;
    return contract::Refusal{
        Code::no_partner, "ft.copies", std::to_string(copies),
        format("each copy lies on a node of its own beside the rank's, {} in all, and the job has {}{}", copies + 1, most,
               spares == 0 ? "" : format(", {} as spare", spares)),
        most == 1 ? format("ask for -N {}, or leave ft.copies out", copies + 1 - spares)
                  : format("ask for -N {}, or for ft.copies={}", copies + 1 - spares, most - 1)};
}

/// The tasks are asked on one node, where more would hold them.
contract::Refusal refuse_pile(const JobRequest& job, const Judgement& judgement, const Spread& spread)
{
    const unsigned tasks = job.tasks.value_or(1);
    return {Code::too_many_workers, "--ntasks", std::to_string(tasks),
            format("no node of partition {} holds {} workers under the contract",
                   printable(join(judgement.partitions, ",")), tasks),
            format("give -N {} --ntasks-per-node={}", spread.nodes, spread.tasks_per_node)};
}

/// Too few machines honour the contract, or one that the job requires doesn't.
std::string find_machine_fault(const JobRequest& job, const Judgement& judgement, const ReadContract& read,
                               const Policy& policy)
{
    const auto nearest = [&](const JudgedClass* judged) {
        return judged && !judged->ruling->is_stale
                   ? tell_nearest(*policy.rulings->find_nearest(read, shape_of(job), *policy.site,
                                                                *judged->candidates->machine_class))
                   : "";
    };
    if (const auto fault = find_group_fault(job, read.parsed.contract.ft)) return tell_refusals({*fault});
    if (const auto fault = find_copies_fault(job, read.parsed.contract)) return tell_refusals({*fault});
    const std::size_t needed = count_needed_nodes(job, read.parsed.contract);
    if (judgement.candidates->count_nodes() < needed)
        return tell_refusals({refuse_size(job, judgement, needed)});
    if (judgement.count_suitable() < needed)
        return bound_message(tell_machines(judgement, needed), nearest(judgement.nearest_refusing()));
    if (const std::string* node = judgement.find_unsuitable(job.required_nodes))
        return bound_message(tell_required_node(judgement, *node), nearest(judgement.find_refusing(*node)));
    return "";
}

/// What the nodes compare their last snapshot with.
contract::Notice notice_of(const JobRequest& job, const hal::Inventory& inventory, const std::vector<std::string>& partitions)
{
    contract::Notice notice{job.warning, {}};
    for (const std::string& name : partitions)
        if (const auto* partition = find_partition(inventory, name))
            if (partition->grace && ends_preempted(*partition))
                notice.grace = std::min(notice.grace.value_or(*partition->grace), *partition->grace);
    return notice;
}

std::string tell_ways_back_of(const JobRequest& job, const Judgement& judgement, const contract::Contract& contract,
                              const Policy& policy)
{
    const unsigned ranks = contract.workers.value_or(count_tasks_per_node(job));
    std::vector<const hal::PartitionEntry*> partitions;
    for (const std::string& name : judgement.partitions)
        if (const auto* partition = find_partition(*policy.inventory, name)) partitions.push_back(partition);
    return join(tell_ways_back(job, contract.ft, ranks, *policy.site, partitions), "\n");
}

Decision judge_nodes(const JobRequest& job, const Judgement& judgement, const ReadContract& read,
                     const Policy& policy)
{
    if (std::string fault = find_machine_fault(job, judgement, read, policy); !fault.empty())
        return refuse(Outcome::refused, std::move(fault));
    Decision decision;
    const auto refusals =
        shape_job(job, read.parsed.contract, judgement.ruling(), policy.site->gres_name, decision);
    if (!refusals.empty()) return refuse(Outcome::refused, tell_refusals(refusals));
    decision.exclude = judgement.unsuitable_nodes();
    contract::Comment comment{State::accepted, {}};
    if (!judgement.ruling().unenforced.empty())
        comment.fields.emplace_back("unenforced", join(judgement.ruling().unenforced, ","));
    decision.admin_comment = contract::replace_comment(job.admin_comment, comment);
    if (contract::keeps_snapshots(read.parsed.contract.ft))
        decision.message = bound_message(tell_ways_back_of(job, judgement, read.parsed.contract, policy));
    return decision;
}

/// The decision for tasks that one node can't hold, spread over more of them; nothing when that doesn't help.
std::optional<Decision> spread_job(const JobRequest& job, const Judgement& judgement,
                                   const ReadContract& read, const Policy& policy)
{
    if (judgement.count_suitable() >= count_needed_nodes(job, read.parsed.contract)) return std::nullopt;
    const auto spread = find_spread(job, read, policy, *judgement.candidates);
    if (!spread) return std::nullopt;
    // Raising the nodes of an srun that allocates for itself divides by zero in slurmctld 22.05.
    if (!job.has_script)
        return refuse(Outcome::refused, tell_refusals({refuse_pile(job, judgement, *spread)}));
    const JobRequest asked = with_spread(job, *spread);
    const auto spread_judgement = judge_machines(asked, read, policy);
    if (!spread_judgement) return std::nullopt;
    Decision decision = judge_nodes(asked, *spread_judgement, read, policy);
    if (decision.outcome != Outcome::accepted) return decision;
    if (!decision.min_nodes) decision.min_nodes = spread->nodes;
    decision.tasks_per_node = spread->tasks_per_node;
    decision.verified = {job.uid, Mode::enforce, read.canonical, spread->tasks_per_node,
                         notice_of(job, *policy.inventory, judgement.partitions)};
    return decision;
}

/// The decision of a partition that enforces.
Decision judge(const JobRequest& job, const Policy& policy, const ReadContract& read)
{
    if (!read.parsed.ok()) return refuse(Outcome::faulty, tell_faults(read.parsed.faults));
    if (!policy.inventory) return refuse(Outcome::failed, policy.inventory_fault);
    const auto judgement = judge_machines(job, read, policy);
    if (!judgement) return refuse(Outcome::failed, tell_error(judgement.error()));
    if (auto spread = spread_job(job, *judgement, read, policy)) return *std::move(spread);
    Decision decision = judge_nodes(job, *judgement, read, policy);
    if (decision.outcome == Outcome::accepted)
        decision.verified = {job.uid, Mode::enforce, read.canonical, count_tasks_per_node(job),
                             notice_of(job, *policy.inventory, judgement->partitions)};
    return decision;
}

/// The same in a partition that only observes: the job is left as it is but for its comment and the text for
/// the nodes.
Decision observe(const JobRequest& job, const Decision& judged, const ReadContract& read)
{
    static constexpr std::string_view verdicts[] = {"honoured", "invalid", "refused", "unknown"};
    Decision decision;
    const auto verdict = verdicts[static_cast<std::size_t>(judged.outcome)];
    decision.admin_comment = contract::replace_comment(
        job.admin_comment, contract::Comment{State::observed, {{"verdict", std::string(verdict)}}});
    if (read.parsed.ok())
        decision.verified = {job.uid, Mode::observe, read.canonical, count_tasks_per_node(job), {}};
    if (judged.outcome != Outcome::accepted)
        decision.message =
            bound_message("mscale: would be refused (the site only observes):\n" + judged.message);
    return decision;
}

} // namespace

Decision decide(const JobRequest& job, const Policy& policy)
{
    if (!policy.site) return refuse(Outcome::failed, policy.site_fault);
    const Mode mode = find_mode(job, policy);
    Decision decision;
    if (mode == Mode::off) {
        decision.message = "mscale: the site has switched contracts off in this partition; the job runs "
                           "without its contract";
        return decision;
    }
    const auto read = policy.rulings->read(job.contract, *policy.profiles);
    decision = judge(job, policy, *read);
    return mode == Mode::observe ? observe(job, decision, *read) : decision;
}

} // namespace mscale::submit
