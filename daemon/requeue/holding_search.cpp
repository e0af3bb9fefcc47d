#include "daemon/requeue/holding_search.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/keeper/messages.hpp"
#include "daemon/mscaled/message.hpp"
#include "recovery/spill_file.hpp"
#include "recovery/timing.hpp"

namespace mscale::daemon {

namespace {

/// A dead node is in the cluster's list, too, and must not hold the others up.
std::chrono::milliseconds outside_limit()
{
    const auto timing = recovery::derive_timing(std::chrono::milliseconds(600));
    return timing.connect + timing.answer;
}

constexpr std::chrono::seconds files_limit{25}, better_files_limit{2}; // a file system may hang, and memory may do

using Answers = std::vector<std::pair<std::string, Json>>;

class Search : public std::enable_shared_from_this<Search> {
public:
    Search(Keepers& keepers, const HoldingQuestion& question, std::function<void(FoundHoldings)> done)
        : keepers_(keepers), question_(question), done_(std::move(done))
    {
    }

    void begin()
    {
        if (question_.of != question_.job_id)
            return ask_outside(keepers_.all_nodes(), [self = shared_from_this()] { self->ask_own_files(); });
        const auto nodes = keepers_.nodes(question_.job_id);
        asked_.insert(nodes.begin(), nodes.end());
        keepers_.ask_all(question_.job_id, "hold", body(), [self = shared_from_this()](const Answers& answers) {
            for (const auto& [node, answer] : answers) self->take(node, answer, true);
            if (!self->question_.restarted) return self->ask_own_files();
            self->ask_outside(self->earlier_, [self] { self->ask_cluster(); });
        });
    }

private:
    Json body() const { return {{"job", question_.of}, {"for", question_.job_id}, {"uid", question_.uid}}; }

    bool is_foreign(const Json& answer)
    {
        if (!read_member<bool>(answer, "foreign", "an answer").value_or(false)) return false;
        if (found_.faults.empty())
            found_.faults.push_back(
                failure(Code::snapshot_foreign, format("the snapshots of job {} belong to another user", question_.of)).value());
        is_all_foreign_ = true;
        return true;
    }

    /// What one node knows to be another user's is so everywhere, also what a node that can't tell has said of it.
    void finish()
    {
        if (is_all_foreign_) {
            found_.records.clear();
            found_.copies.clear();
        }
        done_(std::move(found_));
    }

    void take(const std::string& node, const Json& answer, bool inside)
    {
        if (is_foreign(answer)) return;
        auto holdings = holdings_from_json(answer, node);
        if (!holdings) log_error("what a node holds can't be read", holdings.error());
        if (!inside && (!holdings || (holdings->records.empty() && holdings->copies.empty()))) return;
        if (holdings) {
            std::ranges::move(holdings->records, std::back_inserter(found_.records));
            std::ranges::move(holdings->copies, std::back_inserter(found_.copies));
            std::ranges::move(holdings->earlier, std::back_inserter(earlier_));
        }
        found_.nodes.push_back(node);
    }

    void ask_outside(const std::vector<std::string>& nodes, std::function<void()> then)
    {
        std::vector<std::string> others;
        for (const std::string& node : nodes)
            if (asked_.insert(node).second) others.push_back(node);
        if (others.empty()) return then();
        keepers_.ask_down_nodes([self = shared_from_this(), others, then = std::move(then)](const std::set<std::string>& down) {
            self->ask_living_first(others, down, then);
        });
    }

    /// One that is DOWN mostly says nothing, and is waited for only where the others don't hold all.
    void ask_living_first(std::vector<std::string> nodes, const std::set<std::string>& down, const std::function<void()>& then)
    {
        const auto rest = std::ranges::stable_partition(nodes, [&](const std::string& node) { return !down.contains(node); });
        const std::vector<std::string> dead(rest.begin(), rest.end());
        nodes.erase(rest.begin(), rest.end());
        ask_holdings(nodes, [self = shared_from_this(), dead, then] {
            if (dead.empty() || self->has_newest()) return then();
            self->ask_holdings(dead, then);
        });
    }

    void ask_holdings(const std::vector<std::string>& nodes, std::function<void()> then)
    {
        keepers_.ask_nodes(nodes, "hold", body(), outside_limit(),
                           [self = shared_from_this(), then = std::move(then)](const Answers& answers) {
                               for (const auto& [node, answer] : answers) self->take(node, answer, false);
                               then();
                           });
    }

    /// Every rank of the newest epoch that is known of is somewhere.
    bool has_newest() const
    {
        const auto choice = recovery::choose_restore(found_.records, found_.copies);
        return choice && choice->passed_over.empty();
    }

    void ask_cluster()
    {
        if (has_newest()) return ask_own_files();
        ask_outside(keepers_.all_nodes(), [self = shared_from_this()] { self->ask_own_files(); });
    }

    void ask_own_files()
    {
        if (!question_.spilled) return finish();
        ask_files({keepers_.self()}, [self = shared_from_this()] { self->ask_other_files(); });
    }

    void ask_other_files()
    {
        if (has_newest()) return finish();
        std::vector<std::string> others = keepers_.nodes(question_.job_id);
        std::erase(others, keepers_.self());
        ask_files(others, [self = shared_from_this()] { self->finish(); });
    }

    void ask_files(const std::vector<std::string>& nodes, std::function<void()> then)
    {
        keepers_.ask_nodes(nodes, "files", body(), has_newest() && !question_.restarted ? better_files_limit : files_limit,
                           [self = shared_from_this(), then = std::move(then)](const Answers& answers) {
                               for (const auto& [node, answer] : answers) self->take_files(node, answer);
                               then();
                           });
    }

    void take_files(const std::string& node, const Json& answer)
    {
        if (answer.contains("fault")) found_.faults.push_back(*error_of(answer["fault"]));
        for (const Json& item : read_member<Json>(answer, "epochs", "an answer").value_or(Json::array())) {
            const auto epoch = recovery::spilled_from_json(item, "the files that node " + node + " sees");
            if (!epoch) return log_error("a spill", epoch.error());
            if (epoch->record.job_id != question_.of) continue;
            found_.records.push_back(epoch->record);
            for (const std::uint32_t rank : epoch->ranks)
                found_.copies.push_back({rank, epoch->record.incarnation, epoch->record.epoch, epoch->record.step, node,
                                         recovery::Tier::spill});
        }
    }

    Keepers& keepers_;
    HoldingQuestion question_;
    std::function<void(FoundHoldings)> done_;
    std::set<std::string> asked_;
    FoundHoldings found_;
    std::vector<std::string> earlier_;
    bool is_all_foreign_ = false;
};

} // namespace

void search_holdings(Keepers& keepers, const HoldingQuestion& question, std::function<void(FoundHoldings)> done)
{
    std::make_shared<Search>(keepers, question, std::move(done))->begin();
}

} // namespace mscale::daemon
