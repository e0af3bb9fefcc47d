#include "submit/judgement.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.hpp"

namespace mscale::submit {

namespace {

bool contains(const std::vector<std::string>& nodes, const std::string& name)
{
    return std::find(nodes.begin(), nodes.end(), name) != nodes.end();
}

std::size_t count_nodes(const std::vector<JudgedClass>& classes)
{
    std::size_t count = 0;
    for (const JudgedClass& judged : classes) count += judged.candidates->nodes.size();
    return count;
}

/// One job has one request: classes that need other numbers of slices or CPUs can't be mixed in it.
auto request_of(const Ruling& ruling)
{
    return std::tuple(ruling.chunks_per_node, ruling.cores_per_task * ruling.cpus_per_core);
}

void choose_suitable(std::vector<JudgedClass> honouring, Judgement& judgement)
{
    std::map<decltype(request_of(std::declval<Ruling>())), std::vector<JudgedClass>> sets;
    for (JudgedClass& judged : honouring) sets[request_of(*judged.ruling)].push_back(std::move(judged));
    for (auto& [request, classes] : sets) {
        if (count_nodes(classes) > count_nodes(judgement.suitable)) std::swap(classes, judgement.suitable);
        std::move(classes.begin(), classes.end(), std::back_inserter(judgement.others));
    }
}

/// A class whose machines may have changed since it was written answers nothing but that; null while it is believed.
std::shared_ptr<const Ruling> refuse_stale(const JobRequest& job, const contract::Site& site,
                                           const hal::MachineClass& machine_class)
{
    const auto age = contract::find_excess_age(site, machine_class.written, job.time);
    if (!age) return nullptr;
    auto ruling = std::make_shared<Ruling>();
    ruling->is_stale = true;
    ruling->refusals.push_back(
        {Code::inventory, "inventory", machine_class.name,
         format("it describes these nodes as they were {} days ago, and the site believes that for {}", *age,
                site.inventory_days),
         "have the administrator run `mscale inventory` on one of them"});
    return ruling;
}

} // namespace

/// The most tasks that Slurm puts on one node when it spreads them evenly over the fewest nodes that the job
/// takes.
unsigned count_tasks_per_node(const JobRequest& job)
{
    if (job.tasks_per_node.value_or(0) > 0) return *job.tasks_per_node;
    const std::uint32_t nodes = std::max(1U, job.min_nodes.value_or(1));
    return std::max(1U, (job.tasks.value_or(1) + nodes - 1) / nodes);
}

Shape shape_of(const JobRequest& job)
{
    return {count_tasks_per_node(job), job.has_script};
}

std::size_t Judgement::count_suitable() const
{
    return count_nodes(suitable);
}

std::vector<std::string> Judgement::unsuitable_nodes() const
{
    std::vector<std::string> nodes = candidates->unknown;
    for (const auto* classes : {&others, &refusing})
        for (const JudgedClass& judged : *classes)
            nodes.insert(nodes.end(), judged.candidates->nodes.begin(), judged.candidates->nodes.end());
    return nodes;
}

const JudgedClass* Judgement::nearest_refusing() const
{
    const auto distance = [](const JudgedClass& judged) {
        return std::tuple(judged.ruling->refusals.size(),
                          -static_cast<std::ptrdiff_t>(judged.candidates->nodes.size()));
    };
    const auto nearest =
        std::min_element(refusing.begin(), refusing.end(),
                         [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    return nearest == refusing.end() ? nullptr : &*nearest;
}

const JudgedClass* Judgement::find_refusing(const std::string& node) const
{
    for (const JudgedClass& judged : refusing)
        if (contains(judged.candidates->nodes, node)) return &judged;
    return nullptr;
}

const std::string* Judgement::find_unsuitable(const std::vector<std::string>& nodes) const
{
    if (nodes.empty()) return nullptr;
    std::set<std::string_view> known;
    for (const JudgedClass& judged : suitable)
        known.insert(judged.candidates->nodes.begin(), judged.candidates->nodes.end());
    const auto found =
        std::ranges::find_if(nodes, [&](const std::string& node) { return !known.contains(node); });
    return found == nodes.end() ? nullptr : &*found;
}

Result<Judgement> judge_machines(const JobRequest& job, const ReadContract& contract, const Policy& policy)
{
    const auto found = policy.rulings->find_nodes(job, *policy.inventory);
    if (!*found) return tl::unexpected(found->error());
    Judgement judgement;
    judgement.partitions = find_partitions(job, *policy.inventory);
    judgement.candidates = std::shared_ptr<const Candidates>(found, &**found);
    const Shape shape = shape_of(job);
    std::vector<JudgedClass> honouring;
    for (const ClassNodes& nodes : judgement.candidates->classes) {
        auto ruling = refuse_stale(job, *policy.site, *nodes.machine_class);
        if (!ruling) ruling = policy.rulings->judge(contract, shape, *policy.site, *nodes.machine_class);
        (ruling->honoured() ? honouring : judgement.refusing).push_back({&nodes, std::move(ruling)});
    }
    choose_suitable(std::move(honouring), judgement);
    return judgement;
}

} // namespace mscale::submit
