#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace mscale::library {

/// When to save and when to leave.  All ranks of a job must save and leave at the same training step, so a rank decides
/// by its own clock only when it is the only one; else the keepers name a step that no rank has reached yet.
class Policy {
public:
    using Clock = std::chrono::steady_clock;

    Policy() = default;
    Policy(std::optional<std::uint64_t> every_steps, std::optional<std::chrono::milliseconds> every_time,
           std::uint32_t ranks, Clock::time_point now)
        : every_steps_(every_steps), every_time_(every_time), alone_(ranks == 1), last_save_(now)
    {
    }

    /// The keepers ask for a save after this step and no other, or for the end of the job after it (0: after any step).
    void ask_save(std::uint64_t step) { save_at_ = step; }
    void ask_exit(std::uint64_t step) { exit_at_ = step; }

    /// Whether to save after training step `step`; a step is saved once.
    bool need_save(std::uint64_t step, Clock::time_point now) const;
    /// Whether to leave after training step `step`.
    bool should_exit(std::uint64_t step) const { return exit_at_ && step >= *exit_at_; }
    /// Whether the program went on where it was to leave.
    bool is_past_exit(std::uint64_t step) const { return exit_at_ && step > *exit_at_; }
    /// A save of `step` has begun.
    void note_save(std::uint64_t step, Clock::time_point now);
    /// The save that began last is committed, `took` after its begin.
    void note_commit(Clock::duration took) { took_ = took; }
    /// A save of `step` found no room since the last one is still being copied.  Where saves come faster than they can be
    /// copied, each rank finds room at another step and no snapshot would be of all: from now on this rank saves at every
    /// second one of its steps only, where it meets all that had to do so as well.  It goes back by one such doubling when a
    /// commit took at most half of the shorter interval, and else tries that again after many saves.
    void note_busy(std::uint64_t step);

private:
    bool is_due(std::uint64_t step) const;
    bool may_halve(std::uint64_t step, Clock::time_point now) const;

    std::optional<std::uint64_t> every_steps_;
    std::optional<std::chrono::milliseconds> every_time_;
    bool alone_ = false;
    unsigned doubled_ = 0; ///< times that the interval was doubled
    Clock::time_point last_save_{};
    std::optional<Clock::duration> took_; ///< from the last save to its commit, once that is seen
    std::optional<std::uint64_t> last_step_, save_at_, exit_at_;
};

} // namespace mscale::library
