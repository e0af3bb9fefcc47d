#include "library/policy.hpp"

namespace mscale::library {

namespace {

constexpr unsigned most_doubled = 32;
constexpr unsigned tried_again = 6; // after 2^6 saves at the longer interval

} // namespace

bool Policy::is_due(std::uint64_t step) const
{
    if (!every_steps_ || step == 0 || step % *every_steps_ != 0) return false;
    return (step / *every_steps_) % (1ULL << doubled_) == 0;
}

bool Policy::need_save(std::uint64_t step, Clock::time_point now) const
{
    if (last_step_ && step <= *last_step_) return false;
    if (should_exit(step)) return true;
    if (save_at_ == step) return true; // who hears it too late leaves it out: at another step it would be no snapshot of all
    if (is_due(step)) return true;
    return every_time_ && alone_ && now - last_save_ >= *every_time_;
}

/// All ranks see the same commits, and go by the step, so that most do it at the same one.
bool Policy::may_halve(std::uint64_t step, Clock::time_point now) const
{
    if (doubled_ == 0 || !is_due(step)) return false;
    // One pause of the keepers, as while one begins anew, doubles the interval until it is as long as the pause was.
    if (took_ && 4 * *took_ <= now - last_save_) return true;
    return (step / *every_steps_) % (1ULL << (doubled_ + tried_again)) == 0;
}

void Policy::note_save(std::uint64_t step, Clock::time_point now)
{
    if (may_halve(step, now)) --doubled_;
    last_step_ = step;
    last_save_ = now;
    took_.reset();
    if (save_at_ && step >= *save_at_) save_at_.reset();
}

void Policy::note_busy(std::uint64_t step)
{
    if (is_due(step) && doubled_ < most_doubled) ++doubled_;
}

} // namespace mscale::library
