#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "contract/contract.hpp"

namespace mscale::contract {

/// What must happen between the notice that a job will end and its end, so that no step is lost.  Pure.
struct LastSnapshot {
    std::chrono::milliseconds step; ///< that is under way; 0: ft.step_time doesn't say
    std::chrono::milliseconds copy; ///< of the state of all ranks of a node to its partners
    std::chrono::milliseconds together() const { return step + copy; }
};

/// What a job leaves its ranks between the notice and their end, by its own terms and those of its partitions.
struct Notice {
    std::optional<unsigned> warning = {}; ///< --signal: seconds before the time limit
    std::optional<unsigned> grace = {};   ///< the least GraceTime, in seconds, of a partition that ends the jobs that it preempts
    bool operator==(const Notice&) const = default;
};

/// The shortest notice that a rank may have, and what gives it: "signal", "GraceTime" or "KillWait".
struct LeastNotice {
    std::chrono::seconds time;
    std::string_view of;
};

/// `kill_wait` follows a preemption's GraceTime, and is all of a time limit without --signal.
LeastNotice find_least_notice(const Notice& notice, std::chrono::seconds kill_wait);

/// Nothing where the contract doesn't say ft.state.  `rate` is in bytes a second and not 0.
std::optional<LastSnapshot> estimate_last_snapshot(const Ft& ft, unsigned ranks_per_node, std::uint64_t rate);

/// "a step (12.0 s) with a snapshot (25.0 s) takes 37.0 s"
std::string describe(const LastSnapshot& needed);

} // namespace mscale::contract
