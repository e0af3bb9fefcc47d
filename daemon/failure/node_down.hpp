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

/// Sets the node DOWN, unless it is already or the site objects: the objection, or nothing when the node is DOWN now.
Result<std::optional<std::string>> set_down(const Burial& burial, const contract::Site& site);

/// True when slurmctld answers now; a controller that only stands by doesn't.
bool reaches_slurmctld();

} // namespace mscale::daemon
