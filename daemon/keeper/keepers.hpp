#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json_forward.hpp"
#include "daemon/mscaled/slurm_nodes.hpp"

namespace mscale::daemon {

/// A node and where its daemon listens.
struct KeeperAddress {
    std::string node;
    NodeAddress address;
};

/// The keepers of a job: one a node of its allocation, this one included.  Lives on the loop.
class Keepers {
public:
    using Answer = std::function<void(const Json&)>;
    using Answered = std::function<void(Result<Json>)>;
    using Nodes =
        std::function<std::vector<std::string>(std::uint32_t job_id)>; ///< of an allocation, in Slurm's order
    using Local = std::function<void(const std::string& op, const Json& body, const Answer& answer)>;

    /// What it stands on: the daemon's own name, messages to other daemons (Peers), their addresses (AddressBook).
    struct Network {
        std::function<std::string()> self;
        std::function<void(const std::string& node, const std::string& op, Json body, Answered answered)>
            call;
        std::function<void(const std::string& node, std::function<void(Result<NodeAddress>)> located)> locate;
    };

    /// `local` is how this node's own keeper answers.
    Keepers(Network network, Nodes nodes, Local local)
        : network_(std::move(network)), nodes_(std::move(nodes)), local_(std::move(local))
    {
    }

    std::vector<std::string> nodes(std::uint32_t job_id) const { return nodes_(job_id); }
    std::string self() const { return network_.self(); }
    /// Those of the nodes whose addresses are known, in the order given.
    void locate(const std::vector<std::string>& nodes,
                std::function<void(std::vector<KeeperAddress>)> located);

    /// Asks the keeper of one node.
    void ask(const std::string& node, const std::string& op, const Json& body, Answered answered);
    /// Asks the coordinator: the first node of the allocation that answers.
    void ask_coordinator(std::uint32_t job_id, const std::string& op, const Json& body, Answered answered);
    /// Asks all nodes of the allocation and calls `answered` once, with what those said that answered.
    void ask_all(std::uint32_t job_id, const std::string& op, const Json& body,
                 std::function<void(std::vector<std::pair<std::string, Json>>)> answered);

private:
    void ask_from(std::vector<std::string> nodes, std::size_t at, const std::string& op, const Json& body,
                  Answered answered);

    Network network_;
    Nodes nodes_;
    Local local_;
};

} // namespace mscale::daemon
