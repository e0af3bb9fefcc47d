// A run that is told to end, by a signal to `mscale run` or to its ranks: preemption, time limit, requeue, a wish.
#include <csignal>

#include "base/text.hpp"
#include "cli/run/supervisor.hpp"

namespace mscale::cli {
namespace {

constexpr int try_later = 75; // EX_TEMPFAIL: the training isn't done, and another run goes on with it

} // namespace

/// Ranks that save are told by mscaled: a signal would end them in the middle of a step.
bool Supervisor::has_ranks_to_tell() const
{
    return is_of_this_run(view_.ranks) && view_.ranks.joined > 0;
}

bool Supervisor::is_told_to_end() const
{
    return stop_signal_ || (view_.end && is_of_this_run(view_.ranks) && !is_end_of_step());
}

bool Supervisor::is_end_confirmed() const
{
    return stop_signal_ || (job_end_ && !job_end_->cause.empty()) || has_left_as_told();
}

/// Slurm ends the ranks of a step by SIGTERM also when one of them has failed; then slurmctld knows of no end of the job.
bool Supervisor::is_end_of_step() const
{
    return state_ == State::settling && status_ != 0 && job_end_ && !is_end_confirmed();
}

/// All ranks are done after the step that they had agreed on; a program that was done before it has ended by itself.
bool Supervisor::has_left_as_told() const
{
    const RankView& ranks = view_.ranks;
    return view_.end && view_.end->step && has_ranks_to_tell() && ranks.left == ranks.joined &&
           ranks.least_step == *view_.end->step;
}

std::vector<Act> Supervisor::on_signal(const ReceivedSignal& received, Moment)
{
    if (state_ == State::done) return {};
    const bool has_srun = state_ == State::running || state_ == State::fencing;
    const bool ends = received.signal != SIGUSR1 && received.signal != SIGUSR2;
    const bool is_first = !stop_signal_;
    if (!has_srun || !has_ranks_to_tell()) {
        hand_on(received, has_srun, ends);
        return take_acts();
    }
    stop_signal_ = received.signal;
    acts_.emplace_back(act::TellRanks{received.signal});
    if (is_first) say(format("{}: the ranks are told to save and to leave", name_signal(received.signal)));
    return take_acts();
}

void Supervisor::hand_on(const ReceivedSignal& received, bool has_srun, bool ends)
{
    if (ends) stop_signal_ = received.signal;
    if (has_srun && ends && !received.is_terminals) acts_.emplace_back(act::EndStep{received.signal});
    if (has_srun && !ends) acts_.emplace_back(act::SendSignal{received.signal});
    if (state_ == State::settling && view_.end) return; // its verdict is near
    if (!has_srun && ends) finish(Outcome::ended, 128 + received.signal);
    if (!has_srun && !ends) say(format("signal {} came while no step was running", received.signal));
}

std::vector<Act> Supervisor::on_job_end(const JobEnd& end, Moment now)
{
    job_end_ = end;
    if (state_ == State::settling && is_told_to_end()) settle_end();
    end_for_gone(now);
    return take_acts();
}

/// A program that goes on where it was to leave is given the signal itself.
void Supervisor::watch_end()
{
    if (!is_told_to_end()) return;
    if (!std::exchange(asked_job_end_, true)) acts_.emplace_back(act::AskJobEnd{});
    const bool is_passed = view_.end && view_.end->step && view_.ranks.least_step > *view_.end->step;
    if (stop_signal_ && state_ == State::running && is_passed && !std::exchange(is_handed_on_, true))
        acts_.emplace_back(act::EndStep{*stop_signal_});
}

void Supervisor::settle_end()
{
    const bool is_committed = view_.end && view_.end->step && view_.committed_step >= view_.end->step;
    if (has_left_as_told()) {
        if (is_committed && job_end_) conclude_end();
    } else if (is_complete()) {
        finish(Outcome::complete, 0);
    }
}

void Supervisor::conclude_end()
{
    const bool left = has_left_as_told();
    if (!left && is_complete()) return finish(Outcome::complete, 0);
    ToldRun run{stop_signal_.value_or(view_.end ? view_.end->signal : 0), job_end_.value_or(JobEnd{}), std::nullopt,
                view_.committed_step, status_};
    if (left) run.last_step = view_.end->step;
    say(describe(run));
    if (run.end.requeues) acts_.emplace_back(act::Requeue{});
    const int status = left ? try_later : status_ != 0 ? status_ : 128 + run.signal;
    finish(left ? Outcome::left : Outcome::ended, status, run.end.requeued || run.end.requeues);
}

} // namespace mscale::cli
