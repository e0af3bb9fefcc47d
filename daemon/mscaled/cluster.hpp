#pragma once

#include <functional>
#include <string>

#include "daemon/mscaled/slurm_nodes.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// slurmctld's nodes, kept so that no message waits for slurmctld.
class Cluster {
public:
    /// `self` is this node's name in Slurm, "" to look it up by host name.
    Cluster(Loop& loop, Worker& slurm, unsigned port, std::string self);

    /// Asks slurmctld again and then calls `done`; a failure is logged, keeps what was known and is tried
    /// again soon.
    void refresh(std::function<void()> done);

    /// This node's name, "" until slurmctld has answered.
    const std::string& self() const { return self_; }
    /// Null for a node that slurmctld doesn't have.
    const NodeAddress* find(const std::string& node) const;

private:
    void retry_first(const Error& error, std::function<void()> done);

    Loop& loop_;
    Worker& slurm_;
    unsigned port_;
    std::string self_;
    NodeTable table_;
};

} // namespace mscale::daemon
