#include "contract/verdict.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "contract/changes.hpp"
#include "contract/conflicts.hpp"
#include "contract/given.hpp"
#include "contract/parse.hpp"

namespace mscale::contract {
namespace {

std::optional<std::size_t> count_left(const std::string& changed, const Refusal& cured, const std::vector<Refusal>& after)
{
    const auto stays = [&](const Refusal& refusal) {
        return refusal.clause == changed || (refusal.code == cured.code && refusal.clause == cured.clause);
    };
    return std::ranges::any_of(after, stays) ? std::nullopt : std::optional(after.size());
}

/// What a change has left without its base gets one that takes any disk, or is dropped.
std::vector<Change> cures_of(const Conflict& conflict)
{
    std::vector<Change> cures;
    for (const std::string& base : conflict.bases)
        if (base.ends_with(".disk")) cures.push_back({base, "any"});
    cures.push_back({conflict.clause, std::nullopt});
    return cures;
}

/// Changes one clause, then two, and so on, until the verdict accepts; of as many changes, those that drop the fewest are
/// tried first.  The first refusal must be cured by a change of its own, so only cures of it are tried at each depth.
class Search {
public:
    using Clock = std::chrono::steady_clock;
    Search(const Question& question, Clock::time_point end) : question_(question), end_(end) {}

    /// Within so many changes, of which so many may drop a clause.
    std::optional<Contract> find(const Contract& contract, std::size_t depth, std::size_t drops)
    {
        ++round_;
        return descend(contract, depth, drops);
    }

    bool spent() const { return judged_ >= effort || is_late(); }
    bool is_late() const { return Clock::now() >= end_; }

private:
    /// What is known of a contract that was met on the way; the same ones are met again at each depth.
    struct Node {
        bool honoured = false;
        unsigned round = 0;        ///< in which it was met last: what it lacks of the asked contract says how it was come by
        std::vector<Change> cures; ///< of its first refusal, or of what a change has left without a clause to hold on
    };

    Node& visit(const Contract& contract)
    {
        const auto [place, is_new] = nodes_.try_emplace(to_canonical(contract));
        if (!is_new) return place->second;
        if (const auto conflicts = find_conflicts(contract); !conflicts.empty()) {
            place->second.cures = cures_of(conflicts.front());
            return place->second;
        }
        const Verdict verdict = judge(contract);
        place->second.honoured = verdict.honoured();
        if (!verdict.honoured())
            place->second.cures = changes_for(contract, question_, verdict.refusals.front(),
                                              effects_on(contract, verdict.refusals.front()));
        return place->second;
    }

    std::optional<Contract> descend(const Contract& contract, std::size_t depth, std::size_t drops)
    {
        Node& node = visit(contract);
        if (node.honoured) return contract;
        if (depth == 0 || spent() || std::exchange(node.round, round_) == round_) return std::nullopt;
        for (const Change& change : node.cures) {
            if (spent()) return std::nullopt;
            if (changed_.contains(change.clause) || (!change.value && drops == 0)) continue;
            if (auto found = follow(contract, change, depth, drops)) return found;
        }
        return std::nullopt;
    }

    std::optional<Contract> follow(const Contract& contract, const Change& change, std::size_t depth, std::size_t drops)
    {
        const auto next = with_clause(contract, change.clause, change.value);
        if (!next) return std::nullopt;
        changed_.insert(change.clause);
        auto found = descend(*next, depth - 1, change.value ? drops : drops - 1);
        changed_.erase(change.clause);
        return found;
    }

    Verdict judge(const Contract& contract)
    {
        ++judged_;
        return verify(contract, question_);
    }

    Effects effects_on(const Contract& contract, const Refusal& cured)
    {
        return [this, &contract, &cured](const Change& change) -> std::optional<std::size_t> {
            const auto next = with_clause(contract, change.clause, change.value);
            if (!next || spent()) return std::nullopt;
            return count_left(change.clause, cured, judge(*next).refusals);
        };
    }

    /// Verdicts at most.
    static constexpr unsigned effort = 10'000;

    const Question& question_;
    const Clock::time_point end_;
    std::map<std::string, Node> nodes_;
    std::set<std::string> changed_;
    unsigned judged_ = 0, round_ = 0;
};

/// Whether anything is left that a machine must keep; what steers mscale alone is no contract of the same
/// shape.
bool promises_something(const Contract& contract)
{
    return std::ranges::any_of(given_clauses(contract),
                               [](const Given& given) { return given.clause->held != Held::stated; });
}

std::optional<Contract> find_nearest(Search& search, const Contract& contract)
{
    const std::size_t clauses = given_clauses(contract).size();
    for (std::size_t depth = 0; depth <= clauses && !search.spent(); ++depth)
        for (std::size_t drops = 0; drops <= depth && !search.spent(); ++drops) {
            auto found = search.find(contract, depth, drops);
            if (found && promises_something(*found)) return found;
        }
    return std::nullopt;
}

} // namespace

std::optional<Contract> nearest_contract(const Contract& contract, const Question& question)
{
    Search search(question, Search::Clock::time_point::max());
    return find_nearest(search, contract);
}

Nearest nearest_contract_within(std::chrono::steady_clock::duration time, const Contract& contract,
                                const Question& question)
{
    Search search(question, Search::Clock::now() + time);
    Nearest nearest{find_nearest(search, contract), false};
    nearest.cut_short = !nearest.contract && search.spent();
    return nearest;
}

} // namespace mscale::contract
