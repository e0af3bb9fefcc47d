#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "recovery/timing.hpp"

namespace mscale::recovery {

/// Tells which keepers of a job have fallen silent.  Pure: the caller gives the time of a clock that never
/// goes back.
///
/// A node that itself stood still (stopped, swapped, starved) sees everybody as silent when it wakes, so its
/// suspicions count only once its own beats were on time for a whole `detect`.
class Detector {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Everybody counts as heard at `now`.
    Detector(const Timing& timing, const std::vector<std::string>& peers, Time now);

    /// Anything that a peer sent; who is no peer is ignored.
    void heard(std::string_view peer, Time now);
    /// This node has sent its own beat; called every timing.beat.
    void own_beat(Time now);
    /// Adds a peer (a spare that joined), heard at `now`.
    void watch(const std::string& peer, Time now);
    /// No suspicion of this peer any more: it has left, or its death is settled.
    void forget(std::string_view peer);

    /// False while this side was late itself.
    bool is_on_time(Time now) const;
    /// The peers from which nothing came for longer than detect, by name; none while this side isn't on time.
    std::vector<std::string> suspects(Time now) const { return silent_for(timing_.detect, now); }
    /// Those that will be suspects when a vote that begins now is over, unless they are heard meanwhile.
    std::vector<std::string> doubtful(Time now) const { return silent_for(timing_.detect - timing_.vote, now); }

private:
    std::vector<std::string> silent_for(Milliseconds limit, Time now) const;

    Timing timing_;
    std::map<std::string, Time, std::less<>> heard_;
    Time own_beat_;
    Time on_time_since_;
};

} // namespace mscale::recovery
