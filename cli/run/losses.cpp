#include "cli/run/losses.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace mscale::cli {
namespace {

bool is_by_program(const Loss& loss)
{
    return loss.cause == Cause::program || loss.cause == Cause::hang;
}

std::string step_text(const Loss& loss)
{
    return loss.has_ranks ? format(" at step {}", loss.step) : std::string(" before a rank had registered");
}

/// A rank tells its step at most every 50 ms, so that two losses at one step may be seen at two that are close by.
bool is_same_step(const Loss& a, const Loss& b, std::uint64_t slack)
{
    const std::uint64_t distance = a.step > b.step ? a.step - b.step : b.step - a.step;
    return a.committed_step == b.committed_step && distance <= slack;
}

} // namespace

Remedy LossBook::add(Loss loss, std::uint64_t step_slack)
{
    losses_.push_back(std::move(loss));
    const Remedy remedy = judge(step_slack);
    if (remedy == Remedy::restart) ++restarts_;
    return remedy;
}

Remedy LossBook::judge(std::uint64_t step_slack) const
{
    const Loss& last = losses_.back();
    if (is_by_program(last)) {
        if (!last.has_ranks && !last.committed_step) return Remedy::give_up_unregistered;
        if (losses_.size() > 1) {
            const Loss& before = losses_[losses_.size() - 2];
            if (is_by_program(before) && is_same_step(before, last, step_slack))
                return Remedy::give_up_no_progress;
        }
    }
    return restarts_ < max_restarts_ ? Remedy::restart : Remedy::give_up_budget;
}

std::set<std::string> LossBook::blamed() const
{
    std::map<std::string, unsigned> counts;
    for (const Loss& loss : losses_)
        if (!loss.node.empty()) ++counts[loss.node];
    std::set<std::string> blamed;
    for (const auto& [node, count] : counts)
        if (count >= 2) blamed.insert(node);
    return blamed;
}

std::string describe(const Loss& loss)
{
    const std::string on = loss.node.empty() ? "" : " on " + loss.node;
    switch (loss.cause) {
    case Cause::node: return format("{} was lost{}: {}", loss.node, step_text(loss), loss.what);
    case Cause::part: return format("{} lost a part{}: {}", loss.node, step_text(loss), loss.what);
    case Cause::program: return format("the program ended{} with {}{}", on, loss.what, step_text(loss));
    case Cause::launch: return format("the run wasn't begun: {}", loss.what);
    case Cause::hang: return format("the program stood still{}{}: {}", on, step_text(loss), loss.what);
    }
    return "";
}

std::vector<std::string> describe(const std::vector<Loss>& losses)
{
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < losses.size(); ++i)
        lines.push_back(format("run {}: {}", i + 1, describe(losses[i])));
    return lines;
}

} // namespace mscale::cli
