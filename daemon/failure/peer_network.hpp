#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json_forward.hpp"
#include "daemon/mscaled/slurm_nodes.hpp"

namespace mscale::daemon {

/// How the watch over a job's nodes reaches other daemons: all of it on the loop, each callback called once.
struct PeerNetwork {
    using Answered = std::function<void(Result<Json>)>;
    using Located = std::function<void(Result<NodeAddress>)>;

    std::function<std::string()> self; ///< the node's name, or the controller's
    std::function<void(const std::string& node, const std::string& op, Json body, Answered answered)> call;
    std::function<void(const std::string& node, Located located)> locate_beats;  ///< where it takes beats
    std::function<void(const std::string& node, Located located)> locate_slurmd; ///< where its slurmd listens
    std::function<std::vector<std::string>()> controllers; ///< names of the mscaled beside slurmctld
};

} // namespace mscale::daemon
