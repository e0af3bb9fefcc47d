#pragma once

#include <chrono>
#include <optional>
#include <utility>

namespace mscale::daemon {

/// Lets one line of a kind through per interval and counts those it holds back.  Pure: the caller has the clock.
class Throttle {
public:
    using Instant = std::chrono::steady_clock::time_point;
    explicit Throttle(std::chrono::milliseconds interval) : interval_(interval) {}

    /// How many were held back before this one, or nothing when this one is held back too.
    std::optional<unsigned> admit(Instant now)
    {
        if (last_ && now - *last_ < interval_) {
            ++held_back_;
            return std::nullopt;
        }
        last_ = now;
        return std::exchange(held_back_, 0);
    }

private:
    std::chrono::milliseconds interval_;
    std::optional<Instant> last_;
    unsigned held_back_ = 0;
};

} // namespace mscale::daemon
