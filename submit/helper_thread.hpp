#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

namespace mscale::submit {

/// Runs `body`; what it throws is logged.
void run_and_log(const std::function<void()>& body) noexcept;

/// Runs `body` on a detached thread that takes no signal: those of slurmctld are for slurmctld's own threads.
void start_thread(std::function<void()> body);

/// Runs what may hang (munged, for one) for a caller that can't wait for it, one after another.
class TimedCall {
public:
    /// True when `task` has ended within `time`.  False when it goes on, and at once while an earlier one still does.  The
    /// task must own all that it uses, since it may outlive the caller.  Safe for several threads.
    bool run(std::function<void()> task, std::chrono::milliseconds time);

private:
    struct Call;
    std::mutex one_at_a_time_;
    std::shared_ptr<Call> last_;
};

} // namespace mscale::submit
