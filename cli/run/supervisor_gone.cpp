// A run of which ranks are gone while their nodes live: the others end at once, and not only by Slurm after KillWait.  And one
// whose ranks are all done, which Slurm doesn't notice.
#include <algorithm>

#include "base/text.hpp"
#include "cli/run/supervisor.hpp"

namespace mscale::cli {

/// Ranks of a job that ends are gone, too, and the others must be able to save: slurmctld is asked first.
void Supervisor::check_gone(Moment now)
{
    if (!view_.gone || !is_of_this_run(view_.ranks) || stop_signal_) return;
    if (!gone_at_) gone_at_ = now.wall;
    if (!std::exchange(asked_for_gone_, true)) acts_.emplace_back(act::AskJobEnd{});
}

void Supervisor::end_for_gone(Moment now)
{
    if (!gone_at_ || is_gone_ended_ || is_end_confirmed()) return;
    if (!job_end_->is_known) asked_for_gone_ = false;
    if (!job_end_->is_known || (state_ != State::running && state_ != State::settling)) return;
    is_gone_ended_ = true;
    acts_.emplace_back(act::EndRanks{});
    if (state_ == State::running) begin_fence(make_loss(Cause::program, "", "ranks are gone"), now);
}

/// All ranks have left and ended, and srun waits on: it is never told so where a slurmstepd was killed before them.  Tasks that
/// never joined would still be at work.
void Supervisor::check_done(Moment now)
{
    const RankView& ranks = view_.ranks;
    const bool is_done = is_of_this_run(ranks) && ranks.left == ranks.joined && view_.done == ranks.joined;
    if (!is_done || ranks.joined < setup_.tasks) return;
    if (!done_at_) done_at_ = now.steady;
    if (now.steady - *done_at_ < timing_.fence) return;
    is_done_ended_ = true;
    say("all ranks are done and their processes have ended, but srun waits on: its step is ended");
    begin_fence(make_loss(Cause::program, "", "srun waited for ranks that had ended"), now);
}

/// No restart: the next run would be refused, too.  Its code is none of a rank that was ended for the refused one's sake.
void Supervisor::end_refused()
{
    constexpr int by_signal = 128;
    if (status_ == 0 || status_ > by_signal) status_ = view_.refusal->status;
    book_.note(make_loss(Cause::program, "", view_.refusal->text));
    say(format("stopped after {} restarts: ranks were refused, as another run's would be: {}", book_.restarts(),
               view_.refusal->text));
    finish(Outcome::refused, status_);
}

/// A rank that failed since its peer's node died is told from others by the nodes that answered after it.
void Supervisor::settle_gone(Moment now)
{
    if (!is_gone_ended_ || !view_.gone) return;
    const auto has_answered = [this](const std::string& node) { return view_.gone->ended.contains(node); };
    if (std::ranges::all_of(nodes_, has_answered)) lose_by_program(now);
}

} // namespace mscale::cli
