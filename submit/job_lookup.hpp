#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "submit/job_change.hpp"

namespace mscale::submit {

/// Asks slurmctld itself, by Slurm's public call, what a job looks like: a job_modify hook is given the job
/// only as a structure that no public header describes.
///
/// The hook runs with the job lock held, and the answer needs that lock, so the hook must not wait.  It asks,
/// is told "not known yet", and returns a code with which slurmctld lets the lock go, sleeps a second and
/// calls the hook again (up to five times, 22.05 to 24.05; later the user is told to try again).  Nothing
/// need be remembered over a restart.
class JobLookup {
public:
    /// The records of the job (each component or array task), fresh; nothing while they aren't known, and
    /// then a thread of its own asks for them.  No records: there is no such job.
    std::optional<std::vector<PendingJob>> find(std::uint32_t job_id);

private:
    struct Entry {
        std::chrono::steady_clock::time_point asked;
        std::optional<std::vector<PendingJob>> jobs;
    };
    static constexpr std::chrono::seconds keep_time{5};
    static constexpr std::size_t most_entries = 64;

    void drop_old_entries();
    void ask(std::uint32_t job_id);

    std::mutex mutex_;
    std::map<std::uint32_t, Entry> entries_;
};

} // namespace mscale::submit
