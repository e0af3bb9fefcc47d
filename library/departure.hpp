#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace mscale::library {

/// This rank's part in finding the step after which all ranks leave (recovery/last_step.hpp): from the notice on it does no step
/// that it hasn't announced.  It waits for the others only a moment and then announces a further step, since one that can't
/// finish its step without this one couldn't announce any; and not at all where no keeper answers.  Pure.
class Departure {
public:
    using Clock = std::chrono::steady_clock;

    /// The job is to end.
    void begin();
    /// Whether the rank, which has done `step`, must wait now.
    bool holds(std::uint64_t step, Clock::time_point now) const;
    /// What a rank that waits after `step` must announce now, or nothing.
    std::optional<std::uint64_t> announce(std::uint64_t step, Clock::time_point now);
    /// The keeper began anew: what was announced to it may have come to nobody.
    void announce_again();
    /// The keepers know this announcement: steps until it may be done.
    void allow(std::uint64_t step);
    /// The last step is known.
    void end() { stage_ = Stage::over; }

private:
    enum class Stage { before, open, over } stage_ = Stage::before;
    std::optional<std::uint64_t> announced_, allowed_;
    std::uint64_t stride_ = 1; // of the next announcement that others are waited for too long
    Clock::time_point announced_at_{}, free_until_{};
};

} // namespace mscale::library
