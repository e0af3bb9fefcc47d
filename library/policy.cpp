#include "library/policy.hpp"

namespace mscale::library {

bool Policy::need_save(std::uint64_t step, Clock::time_point now) const
{
    if (last_step_ && step <= *last_step_) return false;
    if (should_exit(step)) return true;
    if (save_at_ && step >= *save_at_) return true;
    if (every_steps_ && step > 0 && step % *every_steps_ == 0) return true;
    return every_time_ && alone_ && now - last_save_ >= *every_time_;
}

void Policy::note_save(std::uint64_t step, Clock::time_point now)
{
    last_step_ = step;
    last_save_ = now;
    if (save_at_ && step >= *save_at_) save_at_.reset();
}

} // namespace mscale::library
