#pragma once

#include <string>
#include <vector>

#include "recovery/agreement.hpp"

namespace mscale::daemon {

/// The votes on the death of one node, as they come in.  Pure.
class VoteRound {
public:
    /// `controllers` are those of `voters` that are mscaled beside a slurmctld.
    VoteRound(std::string suspect, std::vector<std::string> voters, std::vector<std::string> controllers);

    void take(recovery::DeathVote vote);
    /// A voter that won't answer.
    void leave_out(const std::string& voter);

    /// True when nobody's answer is awaited.
    bool is_complete() const { return waiting_.empty(); }
    /// True when no answer that is awaited could change that the node is dead.
    bool is_certain() const;
    recovery::DeathVerdict judge() const;
    /// Those of the witnesses that are mscaled beside a slurmctld.
    bool has_controller() const;

private:
    std::string suspect_;
    std::vector<std::string> voters_, controllers_, waiting_;
    std::vector<recovery::DeathVote> votes_;
};

} // namespace mscale::daemon
