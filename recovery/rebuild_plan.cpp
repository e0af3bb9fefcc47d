#include "recovery/rebuild_plan.hpp"

#include <algorithm>

namespace mscale::recovery {
namespace {

std::vector<bool> list_present(const std::vector<std::string>& nodes)
{
    std::vector<bool> present;
    for (const std::string& node : nodes) present.push_back(!node.empty());
    return present;
}

bool is_part_of(const CommitRecord& record, const HeldCopy& copy, const CodedGroup& group)
{
    if (!is_of(record, copy) || copy.tier == Tier::spill) return false;
    return copy.tier == Tier::memory || copy.group == group;
}

RebuildPlan list_parts(const CommitRecord& record, const std::vector<HeldCopy>& copies, const CodedGroup& group)
{
    RebuildPlan plan{group, std::vector<std::string>(group.members.size()), std::vector<std::string>(group.members.size())};
    for (const HeldCopy& copy : copies) {
        if (!is_part_of(record, copy, group)) continue;
        const auto member = group.find(copy.rank);
        if (member) (copy.tier == Tier::coded ? plan.coded : plan.shards)[*member] = copy.node;
    }
    return plan;
}

} // namespace

GroupParts RebuildPlan::parts() const
{
    return {list_present(shards), list_present(coded)};
}

std::optional<RebuildPlan> find_rebuild(const CommitRecord& record, const std::vector<HeldCopy>& copies, std::uint32_t rank)
{
    std::vector<const CodedGroup*> tried; // a run may have coded the epoch again in other groups
    for (const HeldCopy& copy : copies) {
        if (copy.tier != Tier::coded || !copy.group || !is_of(record, copy)) continue;
        const CodedGroup& group = *copy.group;
        const auto member = group.find(rank);
        if (!member || std::ranges::any_of(tried, [&](const CodedGroup* other) { return *other == group; })) continue;
        tried.push_back(&group);
        RebuildPlan plan = list_parts(record, copies, group);
        if (can_rebuild(group, *member, plan.parts())) return plan;
    }
    return std::nullopt;
}

} // namespace mscale::recovery
