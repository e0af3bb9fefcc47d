#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "contract/site.hpp"

/// What is asked of slurmctld about a dead node, by libslurm.  Every function waits for slurmctld: only for a Worker.
namespace mscale::daemon {

/// A node that was agreed to be dead.
struct Burial {
    std::string node;
    std::uint32_t job_id = 0; ///< that lost it
    std::string reason;
    bool controller = false; ///< a mscaled beside slurmctld is among the witnesses
};

/// What became of it.
struct DownOutcome {
    std::optional<std::string> objection; ///< of the site; the node isn't DOWN
    bool by_mscale = false;               ///< mscale has set it DOWN, now or for another of its jobs
};

/// Sets the node DOWN, unless it is already or the site objects.
Result<DownOutcome> set_down(const Burial& burial, const contract::Site& site);

/// Whether the node is DOWN; one that slurmctld doesn't know is not.
Result<bool> is_node_down(const std::string& node);

/// True when slurmctld answers now; a controller that only stands by doesn't.
bool reaches_slurmctld();

} // namespace mscale::daemon
