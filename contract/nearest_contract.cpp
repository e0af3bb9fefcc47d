#include "contract/verdict.hpp"

#include <algorithm>
#include <set>

#include "contract/changes.hpp"
#include "contract/given.hpp"

namespace mscale::contract {
namespace {

/// Changes one clause, then two, and so on, until the verdict accepts; dropping is tried after everything
/// else that changes as few clauses.  The first refusal must be cured by a change of its own, so only cures
/// of it are tried at each depth.
class Search {
public:
    explicit Search(const Question& question) : question_(question) {}

    std::optional<Contract> find(const Contract& contract, std::size_t depth, bool dropping)
    {
        const Verdict verdict = judge(contract);
        if (verdict.honoured()) return contract;
        if (depth == 0 || spent_) return std::nullopt;
        const Refusal& refusal = verdict.refusals.front();
        for (const Change& change : changes_for(contract, question_, refusal, acceptor(contract))) {
            if (changed_.contains(change.clause) || (!change.value && !dropping)) continue;
            if (auto found = follow(contract, change, depth, dropping)) return found;
        }
        return std::nullopt;
    }

    bool spent() const { return spent_; }

private:
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
        spent_ = spent_ || ++judged_ > effort;
        return verify(contract, question_);
    }

    Accepts acceptor(const Contract& contract)
    {
        return [this, &contract](const std::string& clause, const std::string& value) {
            const auto next = with_clause(contract, clause, value);
            if (!next || spent_) return false;
            const Verdict verdict = judge(*next);
            return std::ranges::none_of(verdict.refusals,
                                        [&](const Refusal& refusal) { return refusal.clause == clause; });
        };
    }

    /// Verdicts at most: some tens of milliseconds in slurmctld, where a refusal is rare.
    static constexpr unsigned effort = 1000;

    const Question& question_;
    std::set<std::string> changed_;
    unsigned judged_ = 0;
    bool spent_ = false;
};

} // namespace

std::optional<Contract> nearest_contract(const Contract& contract, const Question& question)
{
    const std::size_t clauses = given_clauses(contract).size();
    Search search(question);
    for (std::size_t depth = 0; depth <= clauses && !search.spent(); ++depth)
        for (const bool dropping : {false, true}) {
            auto found = search.find(contract, depth, dropping);
            if (found && !given_clauses(*found).empty()) return found;
        }
    return std::nullopt;
}

} // namespace mscale::contract
