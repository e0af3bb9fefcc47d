#pragma once

#include "base/handle.hpp"
#include "spank/edge.hpp"
#include "spank/environment.hpp"
#include "spank/slurm.hpp"
#include "spank/step.hpp"

namespace mscale::spank {

/// What a forked task keeps from its privileged hook for the later one.
struct TaskState {
    unsigned local_id = 0;
    TaskPlan plan; ///< no worker: the job has no contract
    Fd records;    ///< JOBID.tasks, opened by root for appending; closed by exec
};

/// task_init_privileged, as root in the task: refuses with every reason in the task's output, or sets the task's
/// environment.  This is the one place where a refusal on a node harms only the task (facts: "SPANK").
Decision admit_task(Slurm& slurm, const StepState& step, TaskState& task);

/// task_init, as the user in the task and after Slurm's task plugins have acted: binds the task to its cores, reads them
/// back and records the process, so that what it leaves behind is known.
Decision bind_task(Slurm& slurm, const StepState& step, const TaskState& task);

} // namespace mscale::spank
