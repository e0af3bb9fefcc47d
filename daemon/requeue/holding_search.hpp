#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_forward.hpp"
#include "daemon/keeper/keepers.hpp"

namespace mscale::daemon {

/// What nodes say that they hold, by node (Holdings).
using HoldingAnswers = std::vector<std::pair<std::string, Json>>;

/// Asks who holds snapshots of a job, and calls `done` once on the loop.  All nodes of the allocation are asked; for a job
/// that was `restarted` also the nodes of the run before, as those of the allocation know them, and all nodes of the cluster
/// when what was found until then is nothing to go on from.  Nodes outside of the allocation have a short time to answer, and
/// are left out where they hold nothing.
void search_holdings(Keepers& keepers, std::uint32_t job_id, bool restarted,
                     std::function<void(HoldingAnswers)> done);

} // namespace mscale::daemon
