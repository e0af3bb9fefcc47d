// A run that takes another's place and that Slurm gives no step, as where it believes the nodes to be busy.
#include <algorithm>

#include "base/text.hpp"
#include "cli/run/supervisor.hpp"

namespace mscale::cli {
namespace {

constexpr std::chrono::seconds told_after{5};

} // namespace

/// The first run may wait for its nodes as any srun does; the training that was lost may not.
void Supervisor::check_launch(Moment now)
{
    const bool has_begun = is_of_this_run(view_.ranks) && view_.ranks.joined > 0;
    if (state_ != State::running || book_.restarts() == 0 || has_begun) return;
    if (now.steady - progressed_at_ < timing_.launch || std::exchange(asked_step_, true)) return;
    acts_.emplace_back(act::AskStep{});
}

/// Ranks can't start without the mscaled of their node, and those of the other nodes wait for them.
void Supervisor::tell_silence(Moment now)
{
    const bool waits = !is_of_this_run(view_.ranks) || view_.ranks.joined < setup_.tasks || view_.ranks.restored_at.count() == 0;
    if (state_ != State::running || !waits || now.steady - progressed_at_ < told_after) return;
    std::vector<std::string> silent;
    for (const std::string& node : view_.silent)
        if (std::ranges::find(nodes_, node) != nodes_.end()) silent.push_back(node);
    if (silent == told_silent_) return;
    told_silent_ = silent;
    if (!silent.empty())
        say(format("the run waits for its ranks on {}: mscaled there wasn't heard for {} s; see 'systemctl status mscaled' there",
                   join(silent, ", "), told_after.count()));
}

/// Once for each silence.
void Supervisor::tell_own_silence(Moment now)
{
    if (state_ == State::done || !heard_at_ || now.steady - *heard_at_ < told_after) return;
    heard_at_.reset();
    say(format("mscaled of this node hasn't answered for {} s, and no loss is seen meanwhile; see 'systemctl status mscaled'",
               told_after.count()));
}

std::vector<Act> Supervisor::on_step(bool has_step, Moment now)
{
    if (has_step || state_ != State::running) return {};
    const auto waited = now.steady - progressed_at_;
    const std::string how = format("Slurm gave srun no step within {} s", waited.count() / 1000);
    fence(make_loss(Cause::launch, "", how), now.wall - waited, how, now);
    return take_acts();
}

} // namespace mscale::cli
