#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json_forward.hpp"

namespace mscale::cli {

/// A node of the job that the others have agreed is dead.  Times are of the wall clock, since 1970.
struct LostNode {
    std::string node;
    std::chrono::milliseconds last_heard{0}, agreed{0};
    std::optional<std::chrono::milliseconds> down; ///< when slurmctld knew it; nothing while it doesn't
    std::string reason;
    bool operator==(const LostNode&) const = default;
};

/// How far the ranks of the job's newest run are, all nodes together.
struct RankView {
    std::uint32_t restarts = 0, step_id = 0; ///< which run that is
    std::uint32_t joined = 0, left = 0;
    std::uint64_t least_step = 0;            ///< 0 until a rank has trained or gone on from a snapshot
    std::chrono::milliseconds restored_at{}; ///< since 1970, when the last could train; 0 while one can't
    std::string slowest;                     ///< the one node whose ranks are behind all others, or ""
    std::uint64_t signs = 0;                 ///< of life between steps: a pause that its ranks told of, counted
    bool is_newer_than(const RankView& other) const
    {
        return restarts != other.restarts ? restarts > other.restarts : step_id > other.step_id;
    }
    bool operator==(const RankView&) const = default;
};

/// A device that a node of the job has lost while it lives.
struct LostPart {
    std::string node, kind, name; ///< "drive", "nvme0n1 (S4X)"
    std::string way;              ///< "reroute": the training goes on; "relaunch": by a new run; "leave": by one without the
                                  ///< node; "breach": as the contract says
    std::string text;             ///< "drive nvme0n1 (S4X) is absent, nvme1n1 (S4Y) takes its place"
    std::chrono::milliseconds whole{0}, known{0}; ///< when it was seen whole last; when its loss was certain
    bool operator==(const LostPart&) const = default;
};

/// The newest run is to end.
struct ToldEnd {
    int signal = 0;
    std::optional<std::uint64_t> step; ///< after which all ranks leave, once they have agreed on it
    bool operator==(const ToldEnd&) const = default;
};

/// Ranks that the newest run has lost while their nodes live.
struct GoneRanks {
    std::uint32_t count = 0;
    int status = 0;              ///< the exit status that one of them told; 0: they were killed
    std::set<std::string> ended; ///< nodes that have ended the others since, and so were alive after the loss
    bool operator==(const GoneRanks&) const = default;
};

/// Ranks of a run were refused, as those of another would be.
struct RefusedRanks {
    std::uint32_t restarts = 0, step_id = 0; ///< which run that is
    std::string text;                        ///< "MSC-R005: …", with the cure
    int status = 1;                          ///< what a command exits with for it
    bool operator==(const RefusedRanks&) const = default;
};

/// What mscaled of this node tells of the job (op "run" of its local socket).
struct RunView {
    std::vector<std::string> nodes; ///< of the allocation when it began, in Slurm's order
    bool keeps_snapshots = false;   ///< the contract has clauses of [ft]
    unsigned spares = 0;
    std::chrono::milliseconds detect{600};
    std::vector<LostNode> dead;
    RankView ranks;
    std::optional<std::uint64_t> committed_step; ///< of the newest snapshot of the whole job
    std::optional<ToldEnd> end;
    std::vector<LostPart> lost = {};
    std::optional<GoneRanks> gone = {};
    std::uint32_t done = 0; ///< ranks of the newest run that have left and whose tasks have ended since
    bool resumes = false; ///< the contract has ft.resume
    std::vector<std::string> silent = {}; ///< nodes that live and whose mscaled wasn't heard for 5 s
    std::optional<RefusedRanks> refusal = {};
    bool operator==(const RunView&) const = default;
};

/// Reads mscaled's answer; json_member where it isn't one.
Result<RunView> run_view_from_json(const Json& json);

/// The node's entry in `view.dead`, or null.
const LostNode* find_dead(const RunView& view, const std::string& node);

} // namespace mscale::cli
