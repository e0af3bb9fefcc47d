#include "daemon/keeper/keepers.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

std::vector<std::string> Keepers::nodes(std::uint32_t job_id) const
{
    std::vector<std::string> live = nodes_(job_id);
    std::erase_if(live, [&](const std::string& node) { return network_.is_dead(job_id, node); });
    return live;
}

void Keepers::ask(const std::string& node, const std::string& op, const Json& body, Answered answered)
{
    if (node == self())
        return local_(op, body, [answered](const Json& answer) {
            if (auto error = error_of(answer)) return answered(tl::unexpected(std::move(*error)));
            answered(answer);
        });
    network_.call(node, op, body, std::move(answered));
}

void Keepers::ask_coordinator(std::uint32_t job_id, const std::string& op, const Json& body,
                              Answered answered)
{
    ask_from(nodes(job_id), 0, op, body, std::move(answered));
}

void Keepers::ask_from(std::vector<std::string> nodes, std::size_t at, const std::string& op,
                       const Json& body, Answered answered)
{
    if (at >= nodes.size()) return answered(failure(Code::peer, "no node of the allocation answers"));
    const std::string node = nodes[at];
    ask(node, op, body,
        [this, nodes = std::move(nodes), at, op, body, answered](Result<Json> answer) mutable {
            // Only silence passes the question on: a coordinator that says no has spoken for the job.
            if (answer || answer.error().code != Code::peer) return answered(std::move(answer));
            ask_from(std::move(nodes), at + 1, op, body, std::move(answered));
        });
}

/// A question to several nodes; over when all have answered or nobody waits any more.
struct Keepers::Round {
    std::size_t open = 0;
    std::vector<std::pair<std::string, Json>> answers;
    AllAnswered answered; ///< empty once it was called

    void end()
    {
        if (const auto done = std::exchange(answered, {})) done(std::move(answers));
    }
};

std::shared_ptr<Keepers::Round> Keepers::begin_round(const std::vector<std::string>& nodes,
                                                     const std::string& op, const Json& body,
                                                     AllAnswered answered)
{
    const auto round = std::make_shared<Round>(Round{nodes.size(), {}, std::move(answered)});
    if (nodes.empty()) round->end();
    for (const std::string& node : nodes)
        ask(node, op, body, [round, node](const Result<Json>& answer) {
            if (answer) round->answers.emplace_back(node, *answer);
            if (--round->open == 0) round->end();
        });
    return round;
}

void Keepers::ask_all(std::uint32_t job_id, const std::string& op, const Json& body, AllAnswered answered)
{
    begin_round(nodes(job_id), op, body, std::move(answered));
}

void Keepers::ask_nodes(const std::vector<std::string>& nodes, const std::string& op, const Json& body,
                        std::chrono::milliseconds limit, AllAnswered answered)
{
    const auto round = begin_round(nodes, op, body, std::move(answered));
    if (round->answered) network_.after(limit, [round] { round->end(); });
}

void Keepers::locate(const std::vector<std::string>& nodes,
                     std::function<void(std::vector<KeeperAddress>)> located)
{
    struct Lookup {
        std::size_t open;
        std::vector<std::optional<KeeperAddress>> found;
    };
    const auto lookup =
        std::make_shared<Lookup>(Lookup{nodes.size(), std::vector<std::optional<KeeperAddress>>(nodes.size())});
    if (nodes.empty()) return located({});
    for (std::size_t i = 0; i < nodes.size(); ++i)
        network_.locate(nodes[i], [lookup, i, node = nodes[i], located](const Result<NodeAddress>& address) {
            if (address) lookup->found[i] = KeeperAddress{node, *address};
            if (--lookup->open > 0) return;
            std::vector<KeeperAddress> addresses;
            for (auto& keeper : lookup->found)
                if (keeper) addresses.push_back(std::move(*keeper));
            located(std::move(addresses));
        });
}

} // namespace mscale::daemon
