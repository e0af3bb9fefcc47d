#include "submit/decision.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/state.hpp"
#include "submit/job_shape.hpp"
#include "submit/judgement.hpp"
#include "submit/refusal_text.hpp"

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
    const std::size_t needed = count_needed_nodes(job, read.parsed.contract);
    if (judgement.count_suitable() < needed)
        return bound_message(tell_machines(judgement, needed), nearest(judgement.nearest_refusing()));
    if (const std::string* node = judgement.find_unsuitable(job.required_nodes))
        return bound_message(tell_required_node(judgement, *node), nearest(judgement.find_refusing(*node)));
    return "";
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
    return decision;
}

/// The decision of a partition that enforces.
Decision judge(const JobRequest& job, const Policy& policy, const ReadContract& read)
{
    if (!read.parsed.ok()) return refuse(Outcome::faulty, tell_faults(read.parsed.faults));
    if (!policy.inventory) return refuse(Outcome::failed, policy.inventory_fault);
    const auto judgement = judge_machines(job, read, policy);
    if (!judgement) return refuse(Outcome::failed, tell_error(judgement.error()));
    Decision decision = judge_nodes(job, *judgement, read, policy);
    if (decision.outcome == Outcome::accepted)
        decision.verified = {job.uid, Mode::enforce, read.canonical, count_tasks_per_node(job)};
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
        decision.verified = {job.uid, Mode::observe, read.canonical, count_tasks_per_node(job)};
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
