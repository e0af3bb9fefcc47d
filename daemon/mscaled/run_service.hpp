#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "contract/contract.hpp"
#include "contract/site.hpp"
#include "daemon/failure/job_view.hpp"
#include "daemon/keeper/exits.hpp"
#include "daemon/keeper/gone_ranks.hpp"
#include "daemon/mscaled/attached_runs.hpp"
#include "daemon/mscaled/jobs.hpp"
#include "daemon/mscaled/local_socket.hpp"
#include "recovery/commit.hpp"

namespace mscale::daemon {

/// The ranks of a job's newest run, all nodes together.
struct JobProgress {
    recovery::Incarnation run;
    std::uint32_t joined = 0, left = 0;
    std::uint64_t least_step = 0;
    std::chrono::milliseconds restored_at{0}; ///< 0 while one of them can't train
    std::string slowest; ///< the one node whose ranks are behind those of all others, or ""
    std::uint64_t signs = 0; ///< of life between steps
    bool operator==(const JobProgress&) const = default;
};

/// Counts the nodes together that tell of the newest run; the others haven't been reached by it yet.  Pure.
JobProgress join_progress(const std::map<std::string, NodeProgress>& nodes);

/// What `mscale run` polls: {"op":"run","job":N} of the local socket, with "end":SIGNAL once it was told that the job is to
/// end, and "end_ranks":true once it begins another run since ranks of this one are gone.  Lives on the loop.
class RunService {
public:
    /// Where its answers come from: Failure, Keeper.
    struct Sources {
        std::function<std::optional<JobView>(std::uint32_t job_id)> view;
        std::function<std::optional<recovery::CommitRecord>(std::uint32_t job_id)> committed;
        std::function<std::optional<JobExit>(std::uint32_t job_id)> exit;
        std::function<void(std::uint32_t job_id, const recovery::Incarnation& run, std::uint32_t signal)> end;
        /// What the nodes of the job have lost of their devices, by node.
        std::function<std::vector<std::pair<std::string, LostPart>>(std::uint32_t job_id)> lost;
        std::function<std::optional<GoneRanks>(std::uint32_t job_id)> gone;
        std::function<void(std::uint32_t job_id, const recovery::Incarnation& run)> end_ranks;
    };
    /// What `mscale run` wants beside the answer.
    struct Wish {
        std::uint32_t end = 0; ///< the signal that it was given, 0 none
        bool end_ranks = false;
    };
    RunService(const contract::Site& site, const Jobs& jobs, Sources sources)
        : site_(site), jobs_(jobs), sources_(std::move(sources))
    {
    }

    /// second_run to all but one `mscale run` of a job with [ft].
    Json answer(const Asker& asker, std::uint32_t job_id, const Wish& wish);
    /// A `mscale run` of this node takes care of the job: it has polled within the last 5 s.
    bool is_attached(std::uint32_t job_id) const { return attached_.is_attached(job_id); }
    void forget(std::uint32_t job_id) { attached_.forget(job_id); }

private:
    const contract::Site& site_;
    const Jobs& jobs_;
    Sources sources_;
    AttachedRuns attached_;
};

} // namespace mscale::daemon
