#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json_forward.hpp"

namespace mscale::cli {

/// Why the job is to end, as slurmctld has it.
struct JobEnd {
    std::string cause;      ///< "preemption", "requeue", "time limit" or "scancel"; "": nothing but the signal is known
    bool requeued = false;  ///< Slurm has requeued the job
    bool requeues = false;  ///< it is being preempted to be requeued, and is not if it ends before
    bool is_known = true;   ///< slurmctld has answered
    bool operator==(const JobEnd&) const = default;
};

/// Reads what load_job_end (slurm_acts.hpp) answers; a JobEnd that isn't known where slurmctld didn't.
JobEnd read_job_end(const Json& answer);

/// How a run ended that was told to.
struct ToldRun {
    int signal = 0;
    JobEnd end;
    std::optional<std::uint64_t> last_step; ///< after which all ranks left; nothing where they didn't
    std::optional<std::uint64_t> committed; ///< newest committed step
    int status = 0;                         ///< of srun
};

/// "told to end by SIGTERM (preemption): all ranks left after step 12, which is committed; the job is requeued and goes on with
/// step 13".  Pure.
std::string describe(const ToldRun& run);

/// "SIGTERM", or "signal 35" for one without a name.
std::string name_signal(int signal);

} // namespace mscale::cli
