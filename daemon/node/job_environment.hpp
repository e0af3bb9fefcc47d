#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace mscale::node {

/// What slurmd's prolog or epilog environment says of the job.  Names that begin with SPANK_ carry what
/// job_submit or the user set; all others are slurmd's own.
struct JobEnvironment {
    std::uint32_t job_id = 0;
    std::uint32_t restart_count = 0;
    std::uint32_t uid = 0, gid = 0;
    std::string node;                    ///< this node's name in Slurm; empty where slurmd doesn't tell it
    std::vector<std::string> nodes;      ///< empty where slurmd doesn't tell them
    std::vector<unsigned> sm_slices;     ///< MSCALE_SM_SLICES, set by gres/sm
    std::optional<std::string> verified; ///< the munge credential of job_submit
    bool has_request = false;            ///< a client's text that job_submit left in place: it isn't loaded
};

/// Reads SLURM_JOB_ID, SLURM_JOB_UID, …; usage names the variable that is missing or no number.
Result<JobEnvironment> read_job_environment();

/// SLURM_JOB_ID alone: all that a release needs.
Result<std::uint32_t> read_job_id();

} // namespace mscale::node
