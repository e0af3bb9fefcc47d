#include "daemon/keeper/keepers.hpp"

#include <memory>
#include <optional>

#include "base/json.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

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

void Keepers::ask_all(std::uint32_t job_id, const std::string& op, const Json& body,
                      std::function<void(std::vector<std::pair<std::string, Json>>)> answered)
{
    const std::vector<std::string> asked = nodes(job_id);
    struct Round {
        std::size_t open = 0;
        std::vector<std::pair<std::string, Json>> answers;
    };
    const auto round = std::make_shared<Round>(Round{asked.size(), {}});
    if (asked.empty()) return answered({});
    for (const std::string& node : asked)
        ask(node, op, body, [round, node, answered](const Result<Json>& answer) {
            if (answer) round->answers.emplace_back(node, *answer);
            if (--round->open == 0) answered(std::move(round->answers));
        });
}

void Keepers::locate(const std::vector<std::string>& nodes,
                     std::function<void(std::vector<KeeperAddress>)> located)
{
    struct Round {
        std::size_t open;
        std::vector<std::optional<KeeperAddress>> found;
    };
    const auto round =
        std::make_shared<Round>(Round{nodes.size(), std::vector<std::optional<KeeperAddress>>(nodes.size())});
    if (nodes.empty()) return located({});
    for (std::size_t i = 0; i < nodes.size(); ++i)
        network_.locate(nodes[i], [round, i, node = nodes[i], located](const Result<NodeAddress>& address) {
            if (address) round->found[i] = KeeperAddress{node, *address};
            if (--round->open > 0) return;
            std::vector<KeeperAddress> addresses;
            for (auto& keeper : round->found)
                if (keeper) addresses.push_back(std::move(*keeper));
            located(std::move(addresses));
        });
}

} // namespace mscale::daemon
