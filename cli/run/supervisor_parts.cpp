// A node of the run lives on and has lost a part: a port, a drive, a GPU.
#include <algorithm>

#include "base/text.hpp"
#include "cli/run/supervisor.hpp"

namespace mscale::cli {

/// The next loss on a node of the run with this way back, which isn't begun; null when there is none.  A loss that the
/// contract's on_breach decides is mscaled's.
const LostPart* Supervisor::find_lost_part(const std::string& way)
{
    const auto is_due = [&](const LostPart& lost) {
        return lost.way == way && std::ranges::find(nodes_, lost.node) != nodes_.end() &&
               std::ranges::find(told_parts_, lost) == told_parts_.end();
    };
    const auto found = std::ranges::find_if(view_.lost, is_due);
    if (found == view_.lost.end()) return nullptr;
    told_parts_.push_back(*found);
    return &*found;
}

/// One with which the ranks can't go on where they are; a node that has no other device for them is left.
const LostPart* Supervisor::find_fatal_part()
{
    if (const LostPart* lost = find_lost_part("relaunch")) return lost;
    const LostPart* lost = find_lost_part("leave");
    if (lost) unfit_.insert(lost->node);
    return lost;
}

void Supervisor::check_parts(Moment now)
{
    while (const LostPart* lost = find_lost_part("reroute")) tell_reroute(*lost, now);
    if (is_told_to_end()) return end_without_part(now);
    const LostPart* lost = find_fatal_part();
    if (!lost) return;
    open_story(*lost, now);
    begin_fence(make_loss(Cause::part, lost->node, lost->text), now);
}

/// Ranks that are told to end and can still save are let to.  When they are done, or one is gone, so that no last snapshot will be
/// whole, nothing is waited for: a step whose slurmstepd is gone doesn't end by itself.
void Supervisor::end_without_part(Moment now)
{
    if (!view_.gone && view_.ranks.left != view_.ranks.joined) return;
    if (const LostPart* lost = find_fatal_part()) begin_fence(make_loss(Cause::part, lost->node, lost->text), now);
}

/// srun has ended since a rank failed for want of the device.
void Supervisor::settle_part(Moment now)
{
    const LostPart* lost = find_fatal_part();
    if (!lost) return;
    open_story(*lost, now);
    story_.fenced(now.wall);
    go_on(make_loss(Cause::part, lost->node, lost->text), now);
}

/// A new run is planned on what the nodes have now: what earlier runs lost is none of its losses, but for nodes that have
/// nothing left for it.
void Supervisor::forget_lost_parts()
{
    while (find_fatal_part()) {}
}

void Supervisor::open_story(const LostPart& lost, Moment now)
{
    story_.begin(format("{} {} of {}", lost.kind, lost.name, lost.node), lost.text, lost.whole, now.wall);
}

/// The whole story is that it was noticed: no rank is ended.
void Supervisor::tell_reroute(const LostPart& lost, Moment now)
{
    say(format("{}: {}; the training goes on", lost.node, lost.text));
    if (story_.is_open()) return; // of another loss, whose first step is still awaited
    open_story(lost, now);
    recovery::Timeline timeline = story_.tell(setup_.job_id);
    timeline.step = view_.ranks.least_step;
    acts_.emplace_back(act::ShowTimeline{std::move(timeline)});
}

} // namespace mscale::cli
