#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/error.hpp"

namespace mscale::daemon {

/// Where a node's daemon can be reached.
struct NodeAddress {
    sockaddr_storage address{};
    socklen_t length = 0;
};

/// slurmctld's nodes: the host of each name, as NodeAddr gives it.
struct NodeTable {
    std::map<std::string, std::string, std::less<>> nodes;
    std::map<std::string, unsigned, std::less<>> slurmd_ports; ///< of each node
    std::map<std::string, std::string, std::less<>> hosts;     ///< the node of each host name
    std::string self; ///< the name of this host, "" when slurmctld has none for it
};

/// A host where slurmctld runs, or stands by.
struct ControllerHost {
    std::string name; ///< that of its node where it is one
    std::string address;
    bool is_here = false; ///< it is this host
};

/// Asks slurmctld for the nodes.  `host` is this host's short name.  Waits for slurmctld: only for a Worker.
Result<NodeTable> load_nodes(std::string_view host);

/// Asks slurmctld which nodes are DOWN.  Waits for slurmctld: only for a Worker.
Result<std::set<std::string>> load_down_nodes();

/// Asks slurmctld for its hosts.  Waits for slurmctld: only for a Worker.
Result<std::vector<ControllerHost>> load_controllers(std::string_view host, const NodeTable& table);

/// The seconds between the notice of a job's end and its end, where neither --signal nor GraceTime gives more.  Waits for
/// slurmctld: only for a Worker.
Result<std::chrono::seconds> load_kill_wait();

/// The first address of a host.  Waits for the name service: only for a Worker.
Result<NodeAddress> resolve_host(const std::string& host, unsigned port);

/// Sets `node` to DRAIN with `reason`; only ever for the node's own fault.
Result<void> drain_node(const std::string& node, const std::string& reason);

} // namespace mscale::daemon
