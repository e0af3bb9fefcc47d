#include "daemon/failure/inquest.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/failure/neighbours.hpp"
#include "daemon/failure/policy.hpp"

namespace mscale::daemon {

namespace {

using namespace std::chrono_literals;

constexpr auto longest_pause = 10s, burial_pause = 1s;
constexpr auto on_the_way = 100ms; // for a question and its answer
constexpr unsigned burial_attempts = 10;

bool holds(const std::vector<std::string>& names, const std::string& name)
{
    return std::ranges::find(names, name) != names.end();
}

} // namespace

void Inquest::look()
{
    const Moment now = read_clocks();
    const auto doubtful = hearing_->doubtful(now);
    forget_heard();
    for (const std::string& suspect : doubtful) {
        if (!doubts_.contains(suspect)) doubts_[suspect] = make_doubt(suspect, doubtful, now.steady);
        const Doubt& doubt = doubts_[suspect];
        if (!doubt.asking && now.steady >= doubt.next) ask(suspect);
    }
}

/// How long a voter tries to reach the suspect: until it is silent for longer than detect, here and there.
std::chrono::milliseconds Inquest::probe_limit() const
{
    return job_.timing.vote + job_.timing.beat / 4;
}

/// The first living listener asks at once; each further one waits for what comes of those before it.
Inquest::Doubt Inquest::make_doubt(const std::string& suspect, const std::vector<std::string>& suspects,
                                   Time now) const
{
    int before = 0;
    for (const std::string& listener : list_listeners(job_.nodes, suspect)) {
        if (listener == parts_.network.self()) break;
        if (!holds(suspects, listener) && !hearing_->is_dead(listener)) ++before;
    }
    return {.next = now + before * 2 * job_.timing.connect, .last_heard = hearing_->last_heard(suspect)};
}

/// A silence ends by a word or by a death; not because this node itself was late for a while.
void Inquest::forget_heard()
{
    std::erase_if(doubts_, [this](const auto& entry) {
        const auto& [node, doubt] = entry;
        const bool dead = hearing_->is_dead(node);
        if (doubt.asking || (!dead && hearing_->last_heard(node) == doubt.last_heard)) return false;
        if (doubt.told && !dead)
            log_line(Level::info, format("job {}: {} is silent no longer", job_.run.job_id, node));
        return true;
    });
}

void Inquest::ask(const std::string& suspect)
{
    const std::string self = parts_.network.self();
    doubts_[suspect].asking = true;
    auto voters = voters_on(suspect);
    const auto round = std::make_shared<Round>(
        Round{suspect, VoteRound(suspect, voters, parts_.network.controllers()), {}, false, false});
    parts_.voter.vote(
        suspect, probe_limit(),
        [hearing = hearing_, suspect] { return hearing->is_suspect(suspect, read_clocks()); },
        [me = shared_from_this(), round, self](const Ballot& ballot) { me->take(round, self, ballot); });
    for (const std::string& voter : voters)
        if (voter != self) ask_voter(round, voter);
    parts_.loop.after(probe_limit() + on_the_way,
                      [me = shared_from_this(), round] { me->conclude_if_certain(*round); });
    parts_.loop.after(job_.timing.answer,
                      [me = shared_from_this(), round] { me->conclude(*round); });
}

std::vector<std::string> Inquest::voters_on(const std::string& suspect) const
{
    auto voters = list_listeners(job_.nodes, suspect);
    std::erase_if(voters, [this](const std::string& node) { return hearing_->is_dead(node); });
    for (const std::string& controller : parts_.network.controllers())
        if (controller != suspect && !holds(voters, controller)) voters.push_back(controller);
    return voters;
}

void Inquest::ask_voter(const std::shared_ptr<Round>& round, const std::string& voter)
{
    const Json body{{"job", job_.run.job_id},
                    {"run", job_.run.restarts},
                    {"node", round->suspect},
                    {"limit_ms", probe_limit().count()}};
    parts_.network.call(voter, "vote", body,
                        [me = shared_from_this(), round, voter](const Result<Json>& answer) {
                            me->take(round, voter,
                                     answer ? ballot_from_json(*answer, "a vote of " + voter)
                                            : tl::unexpected(answer.error()));
                        });
}

void Inquest::take(const std::shared_ptr<Round>& round, const std::string& voter,
                   const Result<Ballot>& ballot)
{
    if (!ballot)
        round->votes.leave_out(voter);
    else
        round->votes.take({voter, ballot->silent && !ballot->answers, ballot->reaches});
    if (ballot && ballot->answers) round->answered_to.push_back(voter);
    if (round->votes.is_complete()) return conclude(*round);
    if (round->late) conclude_if_certain(*round);
}

void Inquest::conclude_if_certain(Round& round)
{
    round.late = true;
    if (round.votes.is_certain()) conclude(round);
}

void Inquest::conclude(Round& round)
{
    if (std::exchange(round.concluded, true) || ended_) return;
    Doubt& doubt = doubts_[round.suspect];
    doubt.asking = false;
    doubt.next = read_clocks().steady + job_.timing.beat;
    if (!hearing_->is_suspect(round.suspect, read_clocks())) return; // heard meanwhile, or told by another, or not silent enough
    const auto verdict = round.votes.judge();
    if (verdict.dead) return agree(round, verdict);
    doubt.pause =
        std::clamp<std::chrono::milliseconds>(2 * doubt.pause, 2 * job_.timing.detect, longest_pause);
    doubt.next = read_clocks().steady + doubt.pause;
    if (!std::exchange(doubt.told, true)) leave_alone(round, verdict);
}

void Inquest::leave_alone(const Round& round, const recovery::DeathVerdict& verdict)
{
    const std::string why = round.answered_to.empty()
                                ? verdict.reason
                                : format("its node answers {}", join(round.answered_to, ", "));
    log_line(Level::info, format("job {}: the mscaled of {} is silent, the node is left alone: {}",
                                 job_.run.job_id, round.suspect, why));
}

void Inquest::agree(const Round& round, const recovery::DeathVerdict& verdict)
{
    const auto last_heard = hearing_->last_heard(round.suspect);
    const DeadNode dead{round.suspect, last_heard, read_clocks().wall, std::nullopt,
                        make_down_reason(job_.run.job_id, verdict.witnesses, last_heard)};
    hearing_->settle(dead);
    log_line(Level::info, format("{} is dead: {}", dead.node, dead.reason));
    tell(dead);
    bury(dead, {dead.node, job_.run.job_id, dead.reason, round.votes.has_controller()}, burial_attempts);
}

void Inquest::bury(DeadNode dead, const Burial& burial, unsigned attempts)
{
    if (ended_ || !hearing_->is_dead(dead.node)) return; // heard again
    parts_.slurm.run<Result<DownOutcome>>(
        [act = parts_.bury, burial, site = parts_.site] { return act(burial, site); },
        [me = shared_from_this(), dead, burial, attempts](const Result<DownOutcome>& outcome) {
            if (outcome) return me->finish(dead, *outcome);
            log_error(format("job {}: {}", burial.job_id, dead.node), outcome.error());
            if (attempts > 1)
                me->parts_.loop.after(burial_pause,
                                      [me, dead, burial, attempts] { me->bury(dead, burial, attempts - 1); });
        });
}

void Inquest::finish(DeadNode dead, const DownOutcome& outcome)
{
    if (outcome.objection)
        dead.reason += format("; not set DOWN: {}", *outcome.objection);
    else
        dead.down = read_clocks().wall;
    dead.by_mscale = outcome.by_mscale;
    log_line(Level::info, outcome.objection ? format("{} isn't set DOWN: {}", dead.node, *outcome.objection)
                                            : format("{} is DOWN", dead.node));
    if (!hearing_->is_dead(dead.node)) return;
    hearing_->settle(dead);
    tell(dead);
}

void Inquest::tell(const DeadNode& dead) const
{
    for (const std::string& node : job_.nodes) {
        if (node == parts_.network.self() || hearing_->is_dead(node)) continue;
        parts_.network.call(node, "dead",
                            {{"job", job_.run.job_id}, {"run", job_.run.restarts}, {"dead", to_json(dead)}},
                            [](const Result<Json>&) {}); // who doesn't hear of it finds out by itself
    }
}

} // namespace mscale::daemon
