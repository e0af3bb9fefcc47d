#include "submit/job_change.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "contract/state.hpp"
#include "submit/slice_request.hpp"

namespace mscale::submit {

namespace {

using contract::State;

/// A refused lowering: both numbers are named.
template <class Asked, class Held>
std::string find_lowered(const char* what, const std::optional<Asked>& asked, Held held)
{
    if (!asked || *asked >= held) return "";
    return format("{} {} is below the {} that the job has with its contract", what, *asked, held);
}

template <class Asked, class Held>
std::string find_changed(const char* what, const std::optional<Asked>& asked, Held held)
{
    if (!asked || *asked == held) return "";
    return format("{} {} isn't the {} for which the contract was judged", what, *asked, held);
}

std::string find_gres_breach(const PendingJob& job, const JobChange& change, const std::string& gres_name)
{
    const auto held = find_gres(job.tres_per_node, gres_name);
    if (change.other_tres && find_gres(*change.other_tres, gres_name))
        return format("{} is set by the contract, per node", gres_name);
    if (!change.tres_per_node || find_gres(*change.tres_per_node, gres_name) == held) return "";
    return format("the contract holds {}:{} per node", gres_name, held.value_or(0));
}

std::string find_node_breach(const PendingJob& job, const JobChange& change)
{
    if (!change.excluded_nodes) return "";
    const std::set<std::string_view> kept(change.excluded_nodes->begin(), change.excluded_nodes->end());
    for (const std::string& node : job.excluded_nodes)
        if (!kept.contains(node))
            return format("node {} is excluded because it can't honour the contract", printable(node));
    return "";
}

ChangeAnswer refuse(std::string reason)
{
    return {ChangeAnswer::Kind::refused, std::move(reason)};
}

} // namespace

bool is_held(const std::string& admin_comment)
{
    const auto comment = contract::find_comment(admin_comment);
    return comment && comment->state != State::observed;
}

std::string find_breach(const PendingJob& job, const JobChange& change, const std::string& gres_name)
{
    if (!is_held(job.admin_comment)) return "";
    const std::array<std::string, 12> reasons = {
        find_gres_breach(job, change, gres_name),
        find_lowered("the node count", change.min_nodes, job.nodes),
        find_lowered("the greatest node count", change.max_nodes, job.nodes),
        find_changed("the task count", change.tasks, job.tasks),
        find_lowered("the CPU count", change.min_cpus, job.cpus),
        find_lowered("the CPU count of a task", change.cpus_per_task, job.cpus_per_task),
        find_lowered("the CPU count of a node", change.cpus_per_node, job.cpus_per_node),
        job.running && change.required_nodes ? "a running job keeps the nodes of its contract" : "",
        find_changed("the task count of a node", change.tasks_per_node, job.tasks_per_node),
        job.requeue && change.requeue == false ? "the contract relies on a requeue" : "",
        find_changed("partition", change.partition, job.partition),
        find_node_breach(job, change),
    };
    const auto found =
        std::find_if(reasons.begin(), reasons.end(), [](const auto& reason) { return !reason.empty(); });
    return found == reasons.end() ? "" : *found;
}

std::optional<std::uint32_t> find_job_id(const std::string& text)
{
    const auto number = parse_number(std::string_view(text).substr(0, text.find_first_of("_+.,")));
    if (!number || *number == 0 || *number > 0xffffffff) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

ChangeAnswer answer_change(const ChangeQuestion& question, const std::string& gres_name)
{
    if (question.admin_comment && !is_held(*question.admin_comment)) return {};
    if (!question.job_id)
        return {ChangeAnswer::Kind::unreadable_id, "the job isn't named by its plain number"};
    const auto records = question.find_job(*question.job_id);
    if (!records) return {ChangeAnswer::Kind::ask_again};
    if (std::ranges::none_of(*records, is_held, &PendingJob::admin_comment)) return {};
    const auto change = question.read_change();
    if (!change) return refuse(change.error().text);
    for (const PendingJob& record : *records)
        if (std::string breach = find_breach(record, *change, gres_name); !breach.empty())
            return refuse(std::move(breach));
    return {};
}

} // namespace mscale::submit
