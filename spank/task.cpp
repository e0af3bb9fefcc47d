#include "spank/task.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/text.hpp"

namespace mscale::spank {
namespace {

Decision refuse(Slurm& slurm, const StepState& step, const std::string& reasons)
{
    tell_lines(slurm, Level::error,
               format("the contract of job {} isn't honoured on this node:\n{}", step.facts.job_id, reasons));
    return Decision::refuse;
}

Decision refuse(Slurm& slurm, const StepState& step, const Error& error)
{
    return refuse(slurm, step, to_line(error));
}

void remove_stale_variables(Slurm& slurm)
{
    for (const auto& entry : slurm.list_environment())
        if (is_stale(entry)) slurm.unset_environment(entry.substr(0, entry.find('=')));
}

Result<void> set_variables(Slurm& slurm, const StepState& step, const TaskPlan& plan)
{
    auto variables = describe_task(plan, format("{}/huge/{}", step.state_directory, step.facts.job_id));
    variables.emplace_back(job_variable, std::to_string(step.facts.job_id));
    if (step.keeps_snapshots) variables.emplace_back("MSCALE_KEEPER", step.state_directory + "/keeper.sock");
    for (const auto& [name, value] : variables)
        if (const auto set = slurm.set_environment(name, value); !set) return set;
    return {};
}

Result<Fd> open_records(const StepState& step)
{
    const std::string path =
        format("{}/{}.tasks", contract::ledger_directory(step.state_directory), step.facts.job_id);
    Fd records(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!records) return os_failure(Code::ledger, "open " + path, errno);
    return records;
}

Result<void> prepare_task(Slurm& slurm, const StepState& step, TaskState& task)
{
    const auto local_id = slurm.read_local_task();
    if (!local_id) return tl::unexpected(local_id.error());
    task.local_id = *local_id;
    task.plan = plan_of_task(step.record.plan, step.facts.tasks, task.local_id);
    if (task.plan.workers.empty())
        return failure(Code::too_many_workers,
                       format("the plan of this step has no place for its task {}", task.local_id));
    auto records = open_records(step);
    if (!records) return tl::unexpected(records.error());
    task.records = std::move(*records);
    return set_variables(slurm, step, task.plan);
}

Result<void> record_task(const StepState& step, const TaskState& task)
{
    const auto process = identify_process(::getpid());
    if (!process) return tl::unexpected(process.error());
    const contract::TaskRecord record{step.facts.step_id, task.local_id, "", *process, task.plan.cpus};
    const std::string line = to_line(record) + "\n";
    if (::write(task.records.number(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        return os_failure(Code::ledger, "write the record of the task", errno);
    return {};
}

} // namespace

Decision admit_task(Slurm& slurm, const StepState& step, TaskState& task)
{
    remove_stale_variables(slurm);
    if (step.stage == StepState::Stage::none) return Decision::go_on;
    if (step.stage != StepState::Stage::planned) return refuse(slurm, step, to_text(step.refusals));
    const auto prepared = prepare_task(slurm, step, task);
    return prepared ? Decision::go_on : refuse(slurm, step, prepared.error());
}

Decision bind_task(Slurm& slurm, const StepState& step, const TaskState& task)
{
    if (task.plan.workers.empty()) return Decision::go_on;
    // A contract without cores promises none: Slurm's own binding stands, and the record says so with an empty set.
    if (!task.plan.cpus.empty())
        if (const auto bound = bind_affinity(0, task.plan.cpus); !bound)
            return refuse(slurm, step, bound.error());
    const auto recorded = record_task(step, task);
    return recorded ? Decision::go_on : refuse(slurm, step, recorded.error());
}

} // namespace mscale::spank
