#include "recovery/agreement.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace mscale::recovery {
namespace {

/// For each voter who may vote, whether it suspects.
std::map<std::string, bool> count_votes(const std::string& suspect, const std::vector<DeathVote>& votes,
                                        const std::vector<std::string>& voters)
{
    std::map<std::string, bool> counted;
    for (const DeathVote& vote : votes) {
        const bool may_vote = vote.reaches_controller && vote.voter != suspect &&
                              std::ranges::find(voters, vote.voter) != voters.end();
        if (!may_vote) continue;
        bool& suspects = counted.try_emplace(vote.voter, true).first->second;
        suspects = suspects && vote.suspects;
    }
    return counted;
}

} // namespace

DeathVerdict agree_on_death(const std::string& suspect, const std::vector<DeathVote>& votes,
                            const std::vector<std::string>& voters)
{
    DeathVerdict verdict;
    const auto counted = count_votes(suspect, votes, voters);
    for (const auto& [voter, suspects] : counted)
        if (suspects) verdict.witnesses.push_back(voter);
    const std::size_t witnesses = verdict.witnesses.size();
    verdict.dead = witnesses >= 2 && 2 * witnesses > counted.size();
    const std::string names = witnesses == 0 ? "nobody" : join(verdict.witnesses, ", ");
    verdict.reason =
        format("{} of {} that reach slurmctld heard nothing from {}", names, counted.size(), suspect);
    if (!verdict.dead) verdict.reason += "; that is no majority of at least two";
    return verdict;
}

} // namespace mscale::recovery
