#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "daemon/failure/job_view.hpp"
#include "recovery/slot.hpp"

namespace mscale::daemon {

/// How far the ranks of this node are, of the newest run of each job.  Pure: the caller gives the time.
class ProgressBook {
public:
    /// A rank has joined; one of a newer run begins the job's page anew, one of an older run is left out.
    void join(const recovery::Owner& owner);
    /// It goes on from `step`, or has done it; the same step again is a sign of life.
    void reach(const recovery::Owner& owner, std::uint64_t step);
    /// It has its state back (or needs none) and may train, at `now` since 1970.
    void restore(const recovery::Owner& owner, std::chrono::milliseconds now);
    /// It said that it is done.
    void leave(const recovery::Owner& owner);
    void forget(std::uint32_t job_id) { pages_.erase(job_id); }

    NodeProgress of(std::uint32_t job_id) const;

private:
    struct Rank {
        std::uint64_t step = 0, signs = 0;
        std::chrono::milliseconds restored_at{0};
        bool left = false;
    };
    struct Page {
        recovery::Incarnation run;
        std::map<std::uint32_t, Rank> ranks;
    };
    Rank* find(const recovery::Owner& owner);

    std::map<std::uint32_t, Page> pages_; // by job
};

} // namespace mscale::daemon
