#include "contract/verdict.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "contract/changes.hpp"
#include "contract/conflicts.hpp"
#include "contract/given.hpp"
#include "contract/parse.hpp"

namespace mscale::contract {
namespace {

/// Changes one clause, then two, and so on, until the verdict accepts; dropping is tried after everything
/// else that changes as few clauses.  The first refusal must be cured by a change of its own, so only cures
/// of it are tried at each depth.
class Search {
public:
    using Clock = std::chrono::steady_clock;
    Search(const Question& question, Clock::time_point end) : question_(question), end_(end) {}

    std::optional<Contract> find(const Contract& contract, std::size_t depth, bool dropping)
    {
        const Node& node = visit(contract);
        if (node.honoured) return contract;
        if (depth == 0 || spent()) return std::nullopt;
        for (const Change& change : node.cures) {
            if (spent()) return std::nullopt;
            if (changed_.contains(change.clause) || (!change.value && !dropping)) continue;
            if (auto found = follow(contract, change, depth, dropping)) return found;
        }
        return std::nullopt;
    }

    bool spent() const { return judged_ >= effort || is_late(); }
    bool is_late() const { return Clock::now() >= end_; }

private:
    /// What is known of a contract that was met on the way; the same ones are met again at each depth.
    struct Node {
        bool honoured = false;
        std::vector<Change> cures; ///< of its first refusal, or of what a change has left without a clause to hold on
    };

    const Node& visit(const Contract& contract)
    {
        const auto [place, is_new] = nodes_.try_emplace(to_canonical(contract));
        if (!is_new) return place->second;
        if (const auto conflicts = find_conflicts(contract); !conflicts.empty()) {
            place->second.cures = {{conflicts.front().clause, std::nullopt}};
            return place->second;
        }
        const Verdict verdict = judge(contract);
        place->second.honoured = verdict.honoured();
        if (!verdict.honoured())
            place->second.cures =
                changes_for(contract, question_, verdict.refusals.front(), acceptor(contract));
        return place->second;
    }

    std::optional<Contract> follow(const Contract& contract, const Change& change, std::size_t depth,
                                   bool dropping)
    {
        const auto next = with_clause(contract, change.clause, change.value);
        if (!next) return std::nullopt;
        changed_.insert(change.clause);
        auto found = find(*next, depth - 1, dropping);
        changed_.erase(change.clause);
        return found;
    }

    Verdict judge(const Contract& contract)
    {
        ++judged_;
        return verify(contract, question_);
    }

    Accepts acceptor(const Contract& contract)
    {
        return [this, &contract](const std::string& clause, const std::string& value) {
            const auto next = with_clause(contract, clause, value);
            if (!next || spent()) return false;
            const Verdict verdict = judge(*next);
            return std::ranges::none_of(verdict.refusals,
                                        [&](const Refusal& refusal) { return refusal.clause == clause; });
        };
    }

    /// Verdicts at most.
    static constexpr unsigned effort = 10'000;

    const Question& question_;
    const Clock::time_point end_;
    std::map<std::string, Node> nodes_;
    std::set<std::string> changed_;
    unsigned judged_ = 0;
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
        for (const bool dropping : {false, true}) {
            auto found = search.find(contract, depth, dropping);
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
