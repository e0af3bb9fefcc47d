#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "contract/contract.hpp"
#include "contract/site.hpp"
#include "hal/inventory.hpp"
#include "submit/job_request.hpp"

namespace mscale::submit {

/// What must happen between the notice that a job will end and its end, so that no step is lost.  Pure.
struct LastSnapshot {
    std::chrono::milliseconds step; ///< that is under way; 0: ft.step_time doesn't say
    std::chrono::milliseconds copy; ///< of the state of all ranks of a node to its partners
    std::chrono::milliseconds together() const { return step + copy; }
};

/// Nothing where the contract doesn't say ft.state.  `rate` is in bytes a second and not 0.
std::optional<LastSnapshot> estimate_last_snapshot(const contract::Ft& ft, unsigned ranks_per_node, std::uint64_t rate);

/// For the user of a job with [ft], a line each: which ways back it has after a loss, and every partition in which a
/// preemption or the time limit ends it for good or leaves too little time for a last snapshot.  Pure.
std::vector<std::string> tell_ways_back(const JobRequest& job, const contract::Ft& ft, unsigned ranks_per_node,
                                        const contract::Site& site,
                                        const std::vector<const hal::PartitionEntry*>& partitions);

} // namespace mscale::submit
