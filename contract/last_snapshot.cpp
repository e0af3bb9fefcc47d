#include "contract/last_snapshot.hpp"

#include "base/text.hpp"
#include "contract/redundancy.hpp"

namespace mscale::contract {
namespace {

std::string tell_seconds(std::chrono::milliseconds time)
{
    return format("{:.1f} s", static_cast<double>(time.count()) / 1000);
}

/// How often a rank's state goes to other nodes: once for each copy, and for each parity.
unsigned count_journeys(const Ft& ft)
{
    return count_copies(ft) + coding_scheme_of(ft).parity;
}

} // namespace

std::optional<LastSnapshot> estimate_last_snapshot(const Ft& ft, unsigned ranks_per_node, std::uint64_t rate)
{
    using std::chrono::milliseconds;
    if (!ft.state) return std::nullopt;
    const double bytes = static_cast<double>(*ft.state) * ranks_per_node * count_journeys(ft);
    const auto copy = static_cast<std::int64_t>(bytes / static_cast<double>(rate) * 1000);
    return LastSnapshot{ft.step_time.value_or(milliseconds(0)), milliseconds(copy)};
}

LeastNotice find_least_notice(const Notice& notice, std::chrono::seconds kill_wait)
{
    LeastNotice least{kill_wait, "KillWait"};
    if (notice.warning) least = {std::chrono::seconds(*notice.warning), "signal"};
    if (!notice.grace) return least;
    const LeastNotice preempted{std::chrono::seconds(*notice.grace) + kill_wait, "GraceTime"};
    return preempted.time < least.time ? preempted : least;
}

std::string describe(const LastSnapshot& needed)
{
    if (needed.step.count() > 0)
        return format("a step ({}) with a snapshot ({}) takes {}", tell_seconds(needed.step), tell_seconds(needed.copy),
                      tell_seconds(needed.together()));
    return format("a snapshot takes {} after the step that is under way (ft.step_time)", tell_seconds(needed.copy));
}

} // namespace mscale::contract
