#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_forward.hpp"
#include "daemon/keeper/keepers.hpp"
#include "recovery/choice.hpp"

namespace mscale::daemon {

/// Whose snapshots are sought, for whom and how far.
struct HoldingQuestion {
    std::uint32_t job_id = 0; ///< whose allocation asks
    std::uint32_t of = 0;     ///< whose snapshots: the same, or that of ft.resume
    std::uint32_t uid = 0;    ///< another user's are left alone
    bool restarted = false;   ///< nodes out of the allocation may hold some
    bool spilled = false;     ///< so may the directory of ft.spill
};

/// What was found.
struct FoundHoldings {
    std::vector<std::string> nodes; ///< that answered; of those out of the allocation only such as hold something
    std::vector<recovery::CommitRecord> records;
    std::vector<recovery::HeldCopy> copies;
    std::vector<Error> faults; ///< why a directory couldn't be read, or whose snapshots were left alone
};

/// Asks who holds snapshots of a job, and calls `done` once on the loop.  All nodes of the allocation are asked; for a job
/// that was `restarted` also the nodes of the run before, as those of the allocation know them, and all nodes of the cluster
/// when what was found until then is nothing to go on from; for those of another job all nodes of the cluster.  Nodes outside
/// of the allocation have a short time to answer, and those that are DOWN are asked only where the others don't hold all.
/// Files are looked for on this node, and on the others of the allocation when what this one sees is not all; for two seconds
/// only where the allocation is the same and memory holds a whole one.
void search_holdings(Keepers& keepers, const HoldingQuestion& question, std::function<void(FoundHoldings)> done);

} // namespace mscale::daemon
