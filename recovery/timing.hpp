#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace mscale::recovery {

using Milliseconds = std::chrono::milliseconds;

/// Every time-out of recovery, derived from ft.detect: nobody tunes a stack of them.
struct Timing {
    Milliseconds detect;      ///< within which a dead node is noticed
    Milliseconds beat;        ///< between two beats: three are missed within detect
    Milliseconds vote;        ///< for the answers of the other nodes to a suspicion
    Milliseconds connect;     ///< for a connection to a keeper
    Milliseconds answer;      ///< for the answer of a keeper that is connected
    Milliseconds fetch_stall; ///< without a byte of a snapshot, then the next source is tried
    Milliseconds fence;       ///< for the old step to end, then its node is given up
    Milliseconds launch;      ///< for the new step's ranks to join
    Milliseconds commit;      ///< from a rank's save to the commit, then the snapshot is told as degraded
    Milliseconds pause;       ///< without progress at least, before a program counts as hung, however short its steps are
    Milliseconds hang;        ///< without progress, where no step was measured yet
    bool operator==(const Timing&) const = default;
};

/// `detect` counts as at least 150 ms (beats of less than 50 ms would be noise of the scheduler) and at most
/// an hour.
Timing derive_timing(Milliseconds detect);

/// How long a program may make no progress: ten times the longest step seen, and never less than timing.pause, since a healthy
/// training pauses between its steps, too, to evaluate or to write a file.
Milliseconds hang_limit(const Timing& timing, Milliseconds longest_step);

/// One row of `mscale status`.
struct TimingRow {
    std::string name;
    Milliseconds value;
    bool operator==(const TimingRow&) const = default;
};
std::vector<TimingRow> list_timing(const Timing& timing);

} // namespace mscale::recovery
