// A run that takes another's place and that Slurm gives no step, as where it believes the nodes to be busy.
#include "base/text.hpp"
#include "cli/run/supervisor.hpp"

namespace mscale::cli {

/// The first run may wait for its nodes as any srun does; the training that was lost may not.
void Supervisor::check_launch(Moment now)
{
    const bool has_begun = is_of_this_run(view_.ranks) && view_.ranks.joined > 0;
    if (state_ != State::running || book_.restarts() == 0 || has_begun) return;
    if (now.steady - progressed_at_ < timing_.launch || std::exchange(asked_step_, true)) return;
    acts_.emplace_back(act::AskStep{});
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
