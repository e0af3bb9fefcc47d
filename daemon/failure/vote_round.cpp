#include "daemon/failure/vote_round.hpp"

#include <algorithm>

namespace mscale::daemon {

VoteRound::VoteRound(std::string suspect, std::vector<std::string> voters,
                     std::vector<std::string> controllers)
    : suspect_(std::move(suspect)), voters_(std::move(voters)), controllers_(std::move(controllers)),
      waiting_(voters_)
{
}

void VoteRound::take(recovery::DeathVote vote)
{
    leave_out(vote.voter);
    votes_.push_back(std::move(vote));
}

void VoteRound::leave_out(const std::string& voter)
{
    std::erase(waiting_, voter);
}

bool VoteRound::is_certain() const
{
    if (!has_controller() && std::ranges::any_of(waiting_, [this](const auto& name) {
            return std::ranges::count(controllers_, name) > 0;
        }))
        return false; // its word may be what the site requires
    auto votes = votes_;
    for (const std::string& voter : waiting_) votes.push_back({voter, false, true});
    return recovery::agree_on_death(suspect_, votes, voters_).dead;
}

recovery::DeathVerdict VoteRound::judge() const
{
    return recovery::agree_on_death(suspect_, votes_, voters_);
}

bool VoteRound::has_controller() const
{
    const auto witnesses = judge().witnesses;
    return std::ranges::any_of(
        witnesses, [this](const std::string& name) { return std::ranges::count(controllers_, name) > 0; });
}

} // namespace mscale::daemon
