#include "cli/recovery_time.hpp"

#include "base/text.hpp"
#include "recovery/timing.hpp"

namespace mscale::cli {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// Measured, on a cluster of namespaces.
constexpr milliseconds default_detect = 600ms;
constexpr milliseconds agreement = 200ms; // the last votes, and slurmctld's answer
constexpr milliseconds new_step = 500ms;
constexpr milliseconds clearing = 500ms;    // of the nodes that live
constexpr milliseconds look = 500ms;        // of the scheduler, once a second, beyond its own pause
constexpr milliseconds next_run = 500ms;    // prolog, script, srun
constexpr milliseconds stepd_wait = 15s;    // attempts to reach srun on the dead host
constexpr milliseconds by_tasks = 2700ms;   // the pauses between them, when each fails at once, and slurmd's look
constexpr milliseconds by_route = 4700ms;   // the first goes on until its own limit

std::string to_seconds(milliseconds time)
{
    return format("{}.{} s", time.count() / 1000, time.count() % 1000 / 100);
}

std::string_view name_of(contract::EndWait end_wait)
{
    using enum contract::EndWait;
    return end_wait == no ? "no" : end_wait == tasks ? "tasks" : "route";
}

milliseconds wait_for_host(contract::EndWait end_wait)
{
    using enum contract::EndWait;
    return end_wait == no ? stepd_wait : end_wait == tasks ? by_tasks : by_route;
}

} // namespace

RecoveryTime expect_recovery(const contract::Site& site, const SlurmPauses& pauses)
{
    RecoveryTime time;
    const bool is_ours = site.set_down != contract::SetDown::no;
    time.down = is_ours ? recovery::derive_timing(default_detect).detect + agreement : milliseconds(pauses.slurmd_timeout);
    time.step = time.down + new_step;
    const milliseconds begin = milliseconds(pauses.sched_delay) + look + next_run;
    time.requeue = time.down + clearing + begin;
    // Only a wait for a host that mscale has set DOWN is ended.
    time.batch_host = time.down + wait_for_host(is_ours ? site.end_wait : contract::EndWait::no) + begin;
    return time;
}

std::string describe_recovery(const contract::Site& site, const SlurmPauses& pauses)
{
    const RecoveryTime time = expect_recovery(site, pauses);
    const std::string by = site.set_down == contract::SetDown::no
                               ? format("SlurmdTimeout, since set_down = no")
                               : format("ft.detect = {} ms", default_detect.count());
    return format("DOWN after {} ({}); the next step after {} by mscale run on a spare, {} by requeue, {} where the batch host "
                  "died (end_wait = {}, batch_sched_delay={}); then comes the program's own start",
                  to_seconds(time.down), by, to_seconds(time.step), to_seconds(time.requeue), to_seconds(time.batch_host),
                  name_of(site.end_wait), pauses.sched_delay.count());
}

} // namespace mscale::cli
