#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/site.hpp"

/// What a site allows to be done about a dead node, and how it is told.  Pure.
namespace mscale::daemon {

/// What must be known of a node that was agreed to be dead.
struct DownFacts {
    std::vector<std::uint32_t> other_jobs; ///< that hold the node beside the job that lost it
    unsigned set_down_before = 0;          ///< nodes that mscale has set DOWN within the last hour
    bool controller = false;               ///< a mscaled beside slurmctld is among the witnesses
};

/// Why the node isn't set DOWN, or nothing.
std::optional<std::string> find_objection(const contract::Site& site, const DownFacts& facts);

/// "mscale: job 12: n1, n3 and ctl heard nothing since 12:00:01"
std::string make_down_reason(std::uint32_t job_id, const std::vector<std::string>& witnesses,
                             std::chrono::milliseconds last_heard);
/// True for a reason that make_down_reason made.
bool is_down_reason(const std::string& reason);

} // namespace mscale::daemon
