#include "daemon/requeue/return_plan.hpp"

#include <algorithm>

namespace mscale::daemon {

namespace {

bool is_dead(const JobView& view, const std::string& node)
{
    return std::ranges::find(view.dead, node, &DeadNode::node) != view.dead.end();
}

} // namespace

ReturnPlan plan_return(const JobView& view, const std::string& self, bool attached)
{
    const bool down = std::ranges::all_of(view.dead, [](const DeadNode& dead) { return dead.down.has_value(); });
    if (view.dead.empty() || !down) return {};
    const auto first = std::ranges::find_if(view.nodes, [&](const std::string& node) { return !is_dead(view, node); });
    if (first == view.nodes.end() || *first != self) return {};
    return {true, is_dead(view, view.nodes.front()) || !attached}; // Slurm runs the batch script on the first node
}

ReturnStep next_step(const JobFacts& facts, std::uint32_t restarts, const ReturnPlan& plan, bool asked,
                     std::int64_t now)
{
    if (facts.ended) return ReturnStep::end;
    if (facts.pending && facts.completing) return ReturnStep::look; // Slurm sets the time anew when it is out of its nodes
    if (facts.pending) return facts.begins > now ? ReturnStep::hurry : ReturnStep::look; // it may still be set anew
    if (facts.restarts != restarts) return ReturnStep::end;
    return plan.requeue && !asked && !facts.completing ? ReturnStep::requeue : ReturnStep::look;
}

} // namespace mscale::daemon
