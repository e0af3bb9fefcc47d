#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"

/// STATE/again/JOBID.json (root, 0600): what a prolog told of a job with a contract, kept for as long as slurmctld may run
/// the job again.  A run that begins at once on a node of the run before gets no prolog there: slurmd still knows its
/// credential.
namespace mscale::contract {

struct KeptJob {
    std::uint32_t job_id = 0;
    std::uint32_t uid = 0, gid = 0;
    std::string node;     ///< this node's name in Slurm, "" where slurmd didn't tell it
    std::string verified; ///< the credential of job_submit
    std::vector<std::string> nodes;   ///< of the newest run that was set up here, in Slurm's order
    std::vector<std::string> earlier; ///< of the run before it, where they were others
    bool operator==(const KeptJob&) const = default;
};

/// The file of a job, there or not.
std::string kept_job_path(const std::string& state, std::uint32_t job_id);

/// Writes it, making the directory (0700).
Result<void> write_kept_job(const std::string& state, const KeptJob& job);
/// The job, or no_such_job when nothing of it is kept.
Result<KeptJob> read_kept_job(const std::string& state, std::uint32_t job_id);
/// That nothing is kept is fine.
Result<void> remove_kept_job(const std::string& state, std::uint32_t job_id);
/// The jobs of which something is kept, ascending.
std::vector<std::uint32_t> list_kept_jobs(const std::string& state);

} // namespace mscale::contract
