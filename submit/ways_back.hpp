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

/// Whether a job that is preempted in the partition ends, with a notice before.
bool ends_preempted(const hal::PartitionEntry& partition);

/// For the user of a job with [ft], a line each: which ways back it has after a loss, and every partition in which a
/// preemption or the time limit ends it for good or leaves too little time for a last snapshot.  Pure.
std::vector<std::string> tell_ways_back(const JobRequest& job, const contract::Ft& ft, unsigned ranks_per_node,
                                        const contract::Site& site,
                                        const std::vector<const hal::PartitionEntry*>& partitions);

} // namespace mscale::submit
