#include "submit/candidates.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.hpp"

namespace mscale::submit {

namespace {

/// The names of all the partitions' nodes, each once, without those that the user excluded.
Result<std::set<std::string_view>> collect_nodes(const JobRequest& job, const hal::Inventory& inventory)
{
    std::set<std::string_view> nodes;
    for (const std::string& name : find_partitions(job, inventory)) {
        const hal::PartitionEntry* partition = find_partition(inventory, name);
        if (!partition)
            return failure(Code::inventory,
                           format("partition {} isn't in the inventory of the controller", printable(name)));
        nodes.insert(partition->nodes.begin(), partition->nodes.end());
    }
    for (const std::string& name : job.excluded_nodes) nodes.erase(name);
    return nodes;
}

} // namespace

const hal::PartitionEntry* find_partition(const hal::Inventory& inventory, const std::string& name)
{
    const auto& all = inventory.partitions;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> find_partitions(const JobRequest& job, const hal::Inventory& inventory)
{
    if (!job.partitions.empty()) return job.partitions;
    for (const hal::PartitionEntry& partition : inventory.partitions)
        if (partition.is_default) return {partition.name};
    return {};
}

std::size_t Candidates::count_nodes() const
{
    std::size_t count = unknown.size();
    for (const ClassNodes& group : classes) count += group.nodes.size();
    return count;
}

Result<Candidates> find_candidates(const JobRequest& job, const hal::Inventory& inventory)
{
    auto nodes = collect_nodes(job, inventory);
    if (!nodes) return tl::unexpected(nodes.error());
    Candidates candidates;
    for (const hal::MachineClass& machine_class : inventory.classes) {
        ClassNodes group{&machine_class, {}};
        for (const std::string& name : machine_class.nodes)
            if (nodes->erase(name) > 0) group.nodes.push_back(name);
        if (!group.nodes.empty()) candidates.classes.push_back(std::move(group));
    }
    candidates.unknown.assign(nodes->begin(), nodes->end());
    return candidates;
}

} // namespace mscale::submit
