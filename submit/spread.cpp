#include "submit/spread.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "submit/job_shape.hpp"

namespace mscale::submit {

namespace {

unsigned divide_up(unsigned number, unsigned by)
{
    return number / by + (number % by == 0 ? 0 : 1);
}

/// The most workers that a machine of the class holds, 0 to `limit`: fewer of them never need more, so
/// halving finds it.
unsigned count_workers(const JobRequest& job, const ReadContract& contract, const Policy& policy,
                       const hal::MachineClass& machine_class, unsigned limit)
{
    const auto fits = [&](unsigned workers) {
        const Shape shape{workers, job.has_script};
        return policy.rulings->judge(contract, shape, *policy.site, machine_class)->honoured();
    };
    unsigned good = 0;
    unsigned bad = std::min<unsigned>(limit, static_cast<unsigned>(machine_class.machine.online.size())) + 1;
    while (bad - good > 1) {
        const unsigned middle = good + (bad - good) / 2;
        (fits(middle) ? good : bad) = middle;
    }
    return good;
}

/// The numbers of workers per node that are worth a try, greatest first: what some class can just hold.
std::set<unsigned, std::greater<>> collect_counts(const JobRequest& job, const ReadContract& contract,
                                                  const Policy& policy, const Candidates& candidates)
{
    std::set<unsigned, std::greater<>> counts;
    const unsigned limit = std::min(*job.tasks, greatest_count);
    for (const ClassNodes& nodes : candidates.classes)
        counts.insert(count_workers(job, contract, policy, *nodes.machine_class, limit));
    counts.erase(0);
    return counts;
}

bool may_take(const JobRequest& job, std::uint32_t nodes)
{
    return nodes > job.min_nodes.value_or(1) && (job.max_nodes.value_or(0) == 0 || nodes <= *job.max_nodes);
}

} // namespace

std::optional<Spread> find_spread(const JobRequest& job, const ReadContract& contract, const Policy& policy,
                                  const Candidates& candidates)
{
    if (job.tasks.value_or(1) < 2 || job.tasks_per_node.value_or(0) > 0) return std::nullopt;
    for (const unsigned count : collect_counts(job, contract, policy, candidates)) {
        const Spread spread{divide_up(*job.tasks, count), static_cast<std::uint16_t>(count)};
        if (!may_take(job, spread.nodes)) continue;
        const JobRequest asked = with_spread(job, spread);
        const auto judgement = judge_machines(asked, contract, policy);
        if (judgement &&
            judgement->count_suitable() >= count_needed_nodes(asked, contract.parsed.contract))
            return spread;
    }
    return std::nullopt;
}

JobRequest with_spread(JobRequest job, const Spread& spread)
{
    job.min_nodes = spread.nodes;
    job.tasks_per_node = spread.tasks_per_node;
    return job;
}

} // namespace mscale::submit
