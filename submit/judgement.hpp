#pragma once

#include <memory>
#include <string>
#include <vector>

#include "submit/candidates.hpp"
#include "submit/policy.hpp"

namespace mscale::submit {

/// The most tasks that Slurm puts on one node when it spreads them evenly over the fewest nodes that the job
/// takes.
unsigned count_tasks_per_node(const JobRequest& job);
Shape shape_of(const JobRequest& job);

/// A class of machines that the job may get, and what it answers.
struct JudgedClass {
    const ClassNodes* candidates = nullptr; ///< lives in Judgement::candidates
    std::shared_ptr<const Ruling> ruling;
};

/// What the machines of the job's partitions answer to its contract.
struct Judgement {
    std::vector<std::string> partitions;
    std::shared_ptr<const Candidates> candidates;
    std::vector<JudgedClass>
        suitable; ///< classes that ask the same of Slurm (slices, CPUs): the largest such set
    std::vector<JudgedClass> others; ///< classes that honour the contract with other numbers
    std::vector<JudgedClass> refusing;
    const Ruling& ruling() const { return *suitable.front().ruling; } ///< only when `suitable` isn't empty
    std::size_t count_suitable() const;
    std::vector<std::string> unsuitable_nodes() const;
    /// The refusing class that comes nearest: fewest refusals, then most nodes; null when there is none.
    const JudgedClass* nearest_refusing() const;
    /// The class of a node among those that aren't suitable; null when it is suitable or in no class.
    const JudgedClass* find_refusing(const std::string& node) const;
    /// The first of these nodes that isn't suitable; null when all are.
    const std::string* find_unsuitable(const std::vector<std::string>& nodes) const;
};

/// Asks each class once.  An Error only when the inventory doesn't know a partition.
Result<Judgement> judge_machines(const JobRequest& job, const ReadContract& contract, const Policy& policy);

} // namespace mscale::submit
