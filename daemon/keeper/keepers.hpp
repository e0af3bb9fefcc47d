#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
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
    using AllAnswered = std::function<void(std::vector<std::pair<std::string, Json>>)>;
    using Nodes =
        std::function<std::vector<std::string>(std::uint32_t job_id)>; ///< of an allocation, in Slurm's order
    using Local = std::function<void(const std::string& op, const Json& body, const Answer& answer)>;

    /// What it stands on: the daemon's own name, messages to other daemons (Peers), their addresses (AddressBook).
    struct Network {
        std::function<std::string()> self;
        std::function<void(const std::string& node, const std::string& op, Json body, Answered answered)>
            call;
        std::function<void(const std::string& node, std::function<void(Result<NodeAddress>)> located)> locate;
        std::function<std::vector<std::string>()> all_nodes; ///< of the cluster
        std::function<void(std::chrono::milliseconds, std::function<void()>)> after;
        /// Whether the other nodes have agreed that it is dead: it is asked for nothing, and holds no copy.
        std::function<bool(std::uint32_t job_id, const std::string& node)> is_dead;
        /// The step of a snapshot of the job that slurmctld was told of by an earlier run, or nothing.
        std::function<void(std::uint32_t job_id, std::function<void(Result<std::optional<std::uint64_t>>)> told)>
            told_snapshot;
        std::function<std::string(const std::string& node)> domain_of = {}; ///< none: each node is one
        std::function<std::optional<std::chrono::seconds>()> kill_wait = {}; ///< Slurm's KillWait, where it is known
        /// Asks slurmctld which nodes of the cluster are DOWN; none where it says nothing.
        std::function<void(std::function<void(std::set<std::string>)> told)> down_nodes = {};
    };

    /// `local` is how this node's own keeper answers.
    Keepers(Network network, Nodes nodes, Local local)
        : network_(std::move(network)), nodes_(std::move(nodes)), local_(std::move(local))
    {
    }

    /// The live ones of the allocation.
    std::vector<std::string> nodes(std::uint32_t job_id) const;
    std::string self() const { return network_.self(); }
    std::vector<std::string> all_nodes() const { return network_.all_nodes(); }
    /// What is lost together with the node; "" where that is the node alone.
    std::string domain_of(const std::string& node) const { return network_.domain_of ? network_.domain_of(node) : ""; }
    std::optional<std::chrono::seconds> kill_wait() const { return network_.kill_wait ? network_.kill_wait() : std::nullopt; }
    /// See Network; asks slurmctld.
    void ask_told_snapshot(std::uint32_t job_id,
                           std::function<void(Result<std::optional<std::uint64_t>>)> told) const
    {
        network_.told_snapshot(job_id, std::move(told));
    }
    /// See Network; asks slurmctld.
    void ask_down_nodes(std::function<void(std::set<std::string>)> told) const
    {
        if (!network_.down_nodes) return told({});
        network_.down_nodes(std::move(told));
    }
    /// Calls after a while, on the loop.
    void call_after(std::chrono::milliseconds delay, std::function<void()> call) const
    {
        network_.after(delay, std::move(call));
    }
    /// Those of the nodes whose addresses are known, in the order given.
    void locate(const std::vector<std::string>& nodes,
                std::function<void(std::vector<KeeperAddress>)> located);

    /// Asks the keeper of one node.
    void ask(const std::string& node, const std::string& op, const Json& body, Answered answered);
    /// Asks the coordinator: the first node of the allocation that answers.
    void ask_coordinator(std::uint32_t job_id, const std::string& op, const Json& body, Answered answered);
    /// Asks all nodes of the allocation and calls `answered` once, with what those said that answered.
    void ask_all(std::uint32_t job_id, const std::string& op, const Json& body, AllAnswered answered);
    /// The same of any nodes; those that haven't answered within `limit` count as silent.
    void ask_nodes(const std::vector<std::string>& nodes, const std::string& op, const Json& body,
                   std::chrono::milliseconds limit, AllAnswered answered);

private:
    struct Round;
    std::shared_ptr<Round> begin_round(const std::vector<std::string>& nodes, const std::string& op,
                                       const Json& body, AllAnswered answered);
    void ask_from(std::vector<std::string> nodes, std::size_t at, const std::string& op, const Json& body,
                  Answered answered);

    Network network_;
    Nodes nodes_;
    Local local_;
};

} // namespace mscale::daemon
