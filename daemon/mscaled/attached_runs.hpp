#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "base/error.hpp"
#include "base/process.hpp"

namespace mscale::daemon {

/// Which `mscale run` of this node takes care of each job: the first that asks, for as long as it lives.  Lives on the loop.
class AttachedRuns {
public:
    /// `asker` asks for the job.  second_run while another process that has asked before lives; one that the kernel shows to us
    /// under no number counts for as long as it goes on asking.
    Result<void> attach(std::uint32_t job_id, pid_t asker);
    /// It has asked within the last 5 s.
    bool is_attached(std::uint32_t job_id) const;
    void forget(std::uint32_t job_id) { runs_.erase(job_id); }

private:
    struct Run {
        ProcessId process;
        std::chrono::system_clock::time_point since;
        std::chrono::steady_clock::time_point polled;
    };

    static bool is_at_work(const Run& run);

    std::map<std::uint32_t, Run> runs_; // by job
};

} // namespace mscale::daemon
