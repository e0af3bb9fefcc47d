#pragma once

#include <chrono>
#include <functional>

#include "daemon/mscaled/loop.hpp"
#include "daemon/mscaled/slurm_nodes.hpp"

namespace mscale::daemon {

/// Calls `done` once on the loop: true when something answers on the slurmd port of a node within `limit`, be it to refuse.
/// A node whose kernel answers is alive, whatever became of its daemons: their restart must never kill its jobs, and
/// slurmctld itself notices a node that was booted again.
void probe_slurmd(Loop& loop, const NodeAddress& address, std::chrono::milliseconds limit,
                  std::function<void(bool)> done);

} // namespace mscale::daemon
