#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json_forward.hpp"
#include "recovery/slot.hpp"

namespace mscale::daemon {

/// How far the ranks of one node are, of the newest run that joined there.  All 0: none has joined.
struct NodeProgress {
    std::uint32_t joined = 0;        ///< ranks that have joined
    std::uint32_t left = 0;          ///< those of them that said that they are done
    std::uint64_t least_step = 0;    ///< of those ranks: what they went on from, then what they tell
    std::uint64_t greatest_step = 0; ///< the same
    /// Since 1970, when the last of them could train; 0 while one can't.
    std::chrono::milliseconds restored_at{0};
    /// Which run that is: nodes that a new run hasn't reached yet still tell of the one before.
    recovery::Incarnation run;
    std::uint64_t signs = 0; ///< of life between steps, of all of them: mscale_progress with the step that was told before
    bool operator==(const NodeProgress&) const = default;
};

/// A node of the job whose death the others have agreed on.  Times are of the wall clock, since 1970.
struct DeadNode {
    std::string node;
    std::chrono::milliseconds last_heard{0};
    std::chrono::milliseconds agreed{0};
    std::optional<std::chrono::milliseconds> down; ///< when it was DOWN for slurmctld; nothing while it isn't
    std::string reason; ///< as in slurmctld: "mscale: job 12: n1, n3 and ctl heard nothing since 12:00:01"
    bool by_mscale = false; ///< mscale has set it DOWN
    bool operator==(const DeadNode&) const = default;
};

/// {"node","last_heard","agreed","down","reason","by_mscale"}; down is null while it isn't.
Json to_json(const DeadNode& dead);
Result<DeadNode> dead_from_json(const Json& json, const std::string& what);

/// A job as this node sees it.
struct JobView {
    std::vector<std::string> nodes;               ///< of the allocation when it began, in Slurm's order
    std::vector<DeadNode> dead;                   ///< in the order of their deaths; of this allocation only
    std::map<std::string, NodeProgress> progress; ///< by node: what each has told last, this one included
    std::vector<std::string> silent = {};         ///< nodes that beat to this one and weren't heard for 5 s, nor are dead
    bool operator==(const JobView&) const = default;
};

} // namespace mscale::daemon
