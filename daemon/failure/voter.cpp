#include "daemon/failure/voter.hpp"

#include <memory>
#include <optional>

#include "base/json.hpp"
#include "daemon/failure/slurmd_probe.hpp"

namespace mscale::daemon {

namespace {

/// What is known so far of a vote.
struct Vote {
    std::optional<bool> answers, reaches;
    std::function<bool()> is_silent;
    std::function<void(Ballot)> done;

    void finish() const
    {
        if (answers && reaches) done({is_silent(), *answers, *reaches});
    }
};

} // namespace

Json to_json(const Ballot& ballot)
{
    return {{"silent", ballot.silent}, {"answers", ballot.answers}, {"reaches", ballot.reaches}};
}

Result<Ballot> ballot_from_json(const Json& json, const std::string& what)
{
    const auto silent = read_member<bool>(json, "silent", what);
    const auto answers = read_member<bool>(json, "answers", what);
    const auto reaches = read_member<bool>(json, "reaches", what);
    for (const auto* member : {&silent, &answers, &reaches})
        if (!*member) return tl::unexpected(member->error());
    return Ballot{*silent, *answers, *reaches};
}

void Voter::vote(const std::string& suspect, std::chrono::milliseconds limit, std::function<bool()> is_silent,
                 std::function<void(Ballot)> done)
{
    const auto vote = std::make_shared<Vote>();
    vote->is_silent = std::move(is_silent);
    vote->done = std::move(done);
    slurm_.run<Result<bool>>([reaches = reaches_]() -> Result<bool> { return reaches(); },
                             [vote](const Result<bool>& reaches) {
                                 vote->reaches = reaches.value_or(false);
                                 vote->finish();
                             });
    network_.locate_slurmd(suspect, [this, vote, limit](const Result<NodeAddress>& address) {
        const auto take = [vote](bool answers) {
            vote->answers = answers;
            vote->finish();
        };
        if (!address) return take(true); // of a node without an address nothing can be said
        probe_slurmd(loop_, *address, limit, take);
    });
}

} // namespace mscale::daemon
