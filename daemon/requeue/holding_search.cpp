#include "daemon/requeue/holding_search.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "base/json.hpp"
#include "daemon/keeper/messages.hpp"
#include "recovery/timing.hpp"

namespace mscale::daemon {

namespace {

/// A dead node is in the cluster's list, too, and must not hold the others up.
std::chrono::milliseconds outside_limit()
{
    const auto timing = recovery::derive_timing(std::chrono::milliseconds(600));
    return timing.connect + timing.answer;
}

class Search : public std::enable_shared_from_this<Search> {
public:
    Search(Keepers& keepers, std::uint32_t job_id, std::function<void(HoldingAnswers)> done)
        : keepers_(keepers), job_id_(job_id), done_(std::move(done))
    {
    }

    void begin(bool restarted)
    {
        const auto nodes = keepers_.nodes(job_id_);
        asked_.insert(nodes.begin(), nodes.end());
        keepers_.ask_all(job_id_, "hold", {{"job", job_id_}},
                         [self = shared_from_this(), restarted](HoldingAnswers answers) {
                             for (auto& [node, answer] : answers) self->take(node, std::move(answer), true);
                             if (!restarted) return self->done_(std::move(self->answers_));
                             self->ask_outside(self->earlier_, [self] { self->ask_cluster(); });
                         });
    }

private:
    void take(const std::string& node, Json answer, bool inside)
    {
        const auto holdings = holdings_from_json(answer, node);
        if (!inside && (!holdings || (holdings->records.empty() && holdings->copies.empty()))) return;
        if (holdings) {
            std::ranges::copy(holdings->records, std::back_inserter(records_));
            std::ranges::copy(holdings->copies, std::back_inserter(copies_));
            std::ranges::copy(holdings->earlier, std::back_inserter(earlier_));
        }
        answers_.emplace_back(node, std::move(answer));
    }

    void ask_outside(const std::vector<std::string>& nodes, std::function<void()> then)
    {
        std::vector<std::string> others;
        for (const std::string& node : nodes)
            if (asked_.insert(node).second) others.push_back(node);
        keepers_.ask_nodes(others, "hold", {{"job", job_id_}}, outside_limit(),
                           [self = shared_from_this(), then = std::move(then)](HoldingAnswers answers) {
                               for (auto& [node, answer] : answers) self->take(node, std::move(answer), false);
                               then();
                           });
    }

    void ask_cluster()
    {
        const auto choice = recovery::choose_restore(records_, copies_);
        if (choice && choice->passed_over.empty()) return done_(std::move(answers_));
        ask_outside(keepers_.all_nodes(), [self = shared_from_this()] { self->done_(std::move(self->answers_)); });
    }

    Keepers& keepers_;
    std::uint32_t job_id_;
    std::function<void(HoldingAnswers)> done_;
    std::set<std::string> asked_;
    HoldingAnswers answers_;
    std::vector<recovery::CommitRecord> records_;
    std::vector<recovery::HeldCopy> copies_;
    std::vector<std::string> earlier_;
};

} // namespace

void search_holdings(Keepers& keepers, std::uint32_t job_id, bool restarted,
                     std::function<void(HoldingAnswers)> done)
{
    std::make_shared<Search>(keepers, job_id, std::move(done))->begin(restarted);
}

} // namespace mscale::daemon
