#pragma once

#include <optional>
#include <string>

#include "contract/site.hpp"
#include "daemon/mscaled/cluster.hpp"

namespace mscale::daemon {

/// Why this node can't keep any contract, or nothing; never a fault where the site enforces none, in no
/// partition.
///
/// Only what is the node's own fault: mscale-node is missing, or three applies in a row were refused for a
/// fact that contradicts the inventory (mscale-node counts them in Site.state/contradictions and starts anew
/// after one that fits).
std::optional<std::string> find_node_fault(const contract::Site& site);

/// The file that counts: a decimal number and a newline; absent means 0.
std::string contradictions_path(const contract::Site& site);

/// Sets this node to DRAIN when it has a fault of its own, once for each reason.
class Drain {
public:
    Drain(const contract::Site& site, Cluster& cluster, Worker& slurm)
        : site_(site), cluster_(cluster), slurm_(slurm)
    {
    }
    void check();

private:
    const contract::Site& site_;
    Cluster& cluster_;
    Worker& slurm_;
    std::string told_;
};

} // namespace mscale::daemon
