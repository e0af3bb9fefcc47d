#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/run/run_view.hpp"
#include "recovery/timeline.hpp"

namespace mscale::cli {

/// Collects when the phases of one recovery began and ended, from the loss to the first step after it.  All times are of the
/// wall clock, since 1970.  Pure.
class RecoveryStory {
public:
    using Time = std::chrono::milliseconds;

    /// Something was lost at `lost_at` and known to be lost at `known_at`; `how` says what told it.
    void begin(std::string lost, std::string how, Time lost_at, Time known_at);
    /// srun of the old run has ended.
    void fenced(Time now) { fenced_at_ = now; }
    /// `committed_step`: of the newest snapshot, from which the run should go on.
    void launched(Time now, std::uint32_t tasks, std::optional<std::uint64_t> committed_step);
    /// What the ranks of the new run tell.
    void watch(const RankView& ranks, Time now);

    bool is_open() const { return lost_at_.count() > 0; }
    /// The first step after the loss is done.
    bool is_complete() const { return first_step_at_.has_value(); }
    /// The phases that were seen; the story is closed by it.
    recovery::Timeline tell(std::uint32_t job_id);

private:
    void add(recovery::Timeline& timeline, recovery::Phase phase, std::optional<Time> begin,
             std::optional<Time> end, const std::string& what) const;

    std::string lost_, how_;
    Time lost_at_{0}, known_at_{0};
    std::uint32_t tasks_ = 0;
    std::optional<std::uint64_t> goes_on_from_;
    std::optional<Time> fenced_at_, launched_at_, joined_at_, fetched_at_, restored_at_, first_step_at_;
};

/// "2026-11-30 00:12:01" in the local time.
std::string format_time(std::chrono::milliseconds since_1970);

} // namespace mscale::cli
