#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/plan.hpp"

namespace mscale::spank {

/// "MSCALE_JOB": the job whose contract the other variables tell of.
inline constexpr std::string_view job_variable = "MSCALE_JOB";
/// Its value on the way from sbatch or salloc to the node, where the job's number isn't known yet: a node without a ledger
/// then knows that there should be one.
inline constexpr std::string_view submitted_job = "submitted";

/// A task's part of a plan: one worker, or all of them where one task starts them (workers = N).
struct TaskPlan {
    std::vector<contract::WorkerPlan> workers;
    CpuSet cpus; ///< of the task itself
};

/// The part of the task with this number on the node; empty workers when the plan has none for it.
TaskPlan plan_of_task(const contract::Plan& plan, unsigned tasks, unsigned local_id);

/// The variables of a task, name and value: MSCALE_WORKER, MSCALE_ROLES, MSCALE_ROLE_<NAME>_CPUS and so on (man 8
/// spank_mscale); with several workers also MSCALE_WORKER_<i>_ROLE_<NAME>_…  `mounts` is the directory of the job's hugetlbfs.
std::vector<std::pair<std::string, std::string>> describe_task(const TaskPlan& task,
                                                               const std::string& mounts);

/// True for "NAME=value" of another job's or another step's contract, which a task must not inherit.
bool is_stale(std::string_view entry);

} // namespace mscale::spank
