#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/error.hpp"
#include "base/log.hpp"

namespace mscale::spank {

/// Which program a hook runs in.
enum class Context {
    allocator,  ///< sbatch, salloc
    local,      ///< srun
    remote,     ///< slurmstepd, and the task that it forked
    job_script, ///< the prolog and epilog of a job on a node
    other,      ///< slurmd itself, or a context that a later Slurm adds
};

/// A step as Slurm tells it to the node's root.
struct StepFacts {
    std::uint32_t job_id = 0;
    std::uint32_t step_id =
        0; ///< Slurm's number, the batch script's and the external step's special ones included
    std::uint32_t uid = 0;
    unsigned tasks = 0;    ///< on this node
    std::string job_cores; ///< Slurm's abstract core numbers, "0-3"
    std::string step_cores;
};

/// Slurm's numbers of steps that no srun made (slurm.h, SLURM_EXTERN_CONT and SLURM_BATCH_SCRIPT).
inline constexpr std::uint32_t external_step = 0xfffffffc;
inline constexpr std::uint32_t batch_step = 0xfffffffb;

/// Everything that the plugin asks of Slurm.  spank_slurm.cpp answers by spank.h; unit tests answer by a table.
/// One object lives as long as one hook.
class Slurm {
public:
    virtual ~Slurm() = default;

    virtual Context context() = 0;

    /// Makes --mscale-contract known; only from slurm_spank_init.
    virtual Result<void> register_option() = 0;
    /// Sets a job-control variable: job_submit sees NAME, prolog and epilog see SPANK_NAME.  Client only.
    virtual Result<void> set_job_control(const std::string& name, const std::string& value) = 0;
    virtual void unset_job_control(const std::string& name) = 0;

    /// The job of a prolog or epilog.
    virtual Result<std::uint32_t> read_job_id() = 0;
    /// The step of a remote hook.
    virtual Result<StepFacts> read_step() = 0;
    /// The task's number on this node, in a task hook.
    virtual Result<unsigned> read_local_task() = 0;

    /// The environment of the job, step or task, as "NAME=value"; remote only.
    virtual std::vector<std::string> list_environment() = 0;
    virtual Result<void> set_environment(const std::string& name, const std::string& value) = 0;
    virtual void unset_environment(const std::string& name) = 0;

    /// One line for the user: the client's stderr or the task's output.
    virtual void tell(Level level, const char* line) noexcept = 0;
    /// Ends this process with status 1: the client or the forked task, never slurmstepd.  A hook's return value is not
    /// enough: Slurm ignores it when plugstack.conf names the plugin as optional.
    virtual void end_process() noexcept = 0;
};

} // namespace mscale::spank
