#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/mscaled/address_book.hpp"
#include "daemon/mscaled/slurm_domains.hpp"
#include "daemon/mscaled/slurm_nodes.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// slurmctld's nodes, kept so that no message waits for slurmctld.
class Cluster {
public:
    /// `self` is this node's name in Slurm, "" to look it up by host name.
    /// `domains` is [recovery] domains as it stands.
    Cluster(Loop& loop, Worker& slurm, AddressBook& addresses, std::string self,
            std::function<std::string()> domains = [] { return std::string("node"); });

    /// Asks slurmctld again, one question at a time, and calls `done` when it has answered; a failure is logged and
    /// keeps what was known; while nothing is known it is tried again soon.
    void refresh(std::function<void()> done);

    /// This node's name, "" until slurmctld has answered.
    const std::string& self() const { return self_; }
    /// All nodes that slurmctld has.
    std::vector<std::string> nodes() const;
    /// This daemon's name for the others: the node's, or the controller's where slurmctld runs on no node.
    const std::string& name() const { return self_.empty() ? controller_ : self_; }
    /// The names of the daemons beside slurmctld.
    std::vector<std::string> controllers() const;
    /// The port of a node's slurmd; 0 for a node that isn't known.
    unsigned slurmd_port(const std::string& node) const;
    /// What is lost together with the node; "" where that is the node alone.
    std::string domain_of(const std::string& node) const;
    /// KillWait; nothing before slurmctld has said it.
    std::optional<std::chrono::seconds> kill_wait() const { return kill_wait_; }
    /// Calls `located` once with the address of a node's daemon, or why there is none.
    void locate(const std::string& node, AddressBook::Located located);

private:
    /// What slurmctld says of its cluster.
    struct Answer {
        NodeTable table;
        std::vector<ControllerHost> controllers;
        Result<DomainTable> domains;
        Result<std::chrono::seconds> kill_wait;
    };
    void take(Result<Answer> answer);
    void retry_first(const Error& error);

    Loop& loop_;
    Worker& slurm_;
    AddressBook& addresses_;
    std::string self_;
    std::string controller_; // this host's name as a controller, "" where it is none
    std::function<std::string()> domains_setting_;
    NodeTable table_;
    DomainTable domains_;
    std::optional<std::chrono::seconds> kill_wait_;
    std::vector<ControllerHost> controllers_;
    bool busy_ = false;
    std::vector<std::function<void()>> waiting_;
};

} // namespace mscale::daemon
