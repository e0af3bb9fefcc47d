#include "contract/last_snapshot.hpp"

#include "base/text.hpp"

namespace mscale::contract {
namespace {

std::string tell_seconds(std::chrono::milliseconds time)
{
    return format("{:.1f} s", static_cast<double>(time.count()) / 1000);
}

} // namespace

std::optional<LastSnapshot> estimate_last_snapshot(const Ft& ft, unsigned ranks_per_node, std::uint64_t rate)
{
    using std::chrono::milliseconds;
    if (!ft.state) return std::nullopt;
    const double bytes = static_cast<double>(*ft.state) * ranks_per_node * ft.copies.value_or(1);
    const auto copy = static_cast<std::int64_t>(bytes / static_cast<double>(rate) * 1000);
    return LastSnapshot{ft.step_time.value_or(milliseconds(0)), milliseconds(copy)};
}

std::string describe(const LastSnapshot& needed)
{
    if (needed.step.count() > 0)
        return format("a step ({}) with a snapshot ({}) takes {}", tell_seconds(needed.step), tell_seconds(needed.copy),
                      tell_seconds(needed.together()));
    return format("a snapshot takes {} after the step that is under way (ft.step_time)", tell_seconds(needed.copy));
}

} // namespace mscale::contract
