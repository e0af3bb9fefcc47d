#pragma once

#include <string>
#include <vector>

namespace mscale::recovery {

/// What one node answers to "is X dead?".
struct DeathVote {
    std::string voter;
    bool suspects = false;           ///< it has heard nothing from X, and its own beats were on time
    bool reaches_controller = false; ///< it can talk to slurmctld now
    bool operator==(const DeathVote&) const = default;
};

struct DeathVerdict {
    bool dead = false;
    std::vector<std::string> witnesses; ///< whose suspicions counted, by name
    std::string reason; ///< "n1, n2 and ctl of 3 voters heard nothing", or why nothing is done
    bool operator==(const DeathVerdict&) const = default;
};

/// Whether the votes settle the death of `suspect`.  `voters` are the job's nodes and the mscaled beside
/// slurmctld.  Who can't reach slurmctld has no vote: its side of a partition must never act.  Neither has
/// the suspect, nor who didn't answer.  It takes more than half of the votes and two of them: one node alone
/// may be the one that is cut off.  Of a voter who answered twice any doubt counts.  Pure.
DeathVerdict agree_on_death(const std::string& suspect, const std::vector<DeathVote>& votes,
                            const std::vector<std::string>& voters);

} // namespace mscale::recovery
