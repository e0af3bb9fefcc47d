#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "library/client.hpp"

namespace mscale::library {

Result<void> Client::start_save(std::uint64_t step)
{
    pump();
    if (auto checked = check_step(step); !checked) return checked;
    const auto slot = policy_.should_exit(step) ? wait_for_slot() : choose_slot();
    policy_.note_save(step, Clock::now());
    if (!slot && !policy_.should_exit(step)) leave_out(step); // the last save may be tried again
    if (!slot) return tl::unexpected(slot.error());
    last_started_ = step;
    uses_[*slot] = {};
    save_.emplace(session_.segment(), *slot, make_header(step));
    begun_ = {save_->epoch(), Clock::now()};
    return {};
}

Result<void> Client::check_step(std::uint64_t step) const
{
    if (session_.fenced()) return tl::unexpected(*session_.fenced());
    if (refused_) return tl::unexpected(*refused_);
    if (is_busy()) return wrong_order("a save or a restore is under way");
    if (restart_pending_) return wrong_order("the snapshot to go on from was neither used nor rejected");
    if (step < first_step())
        return wrong_order(
            format("step {} isn't after step {}, which the job went on from", step, point_->step));
    if (last_started_ && step <= *last_started_)
        return wrong_order(format("step {} isn't after step {}, which was saved last", step, *last_started_));
    return {};
}

/// Never the slot of the newest committed epoch; and not one that the keeper is copying, unless there is no keeper.
Result<unsigned> Client::choose_slot() const
{
    const std::uint64_t committed = newest_committed(), abandoned = session_.segment().abandoned_epoch();
    std::uint64_t kept = 0;
    for (const SlotUse& use : uses_)
        if (use.epoch <= committed) kept = std::max(kept, use.epoch);
    std::optional<unsigned> oldest;
    for (unsigned slot = 0; slot < uses_.size(); ++slot) {
        const std::uint64_t epoch = uses_[slot].epoch;
        if (epoch == 0 || (epoch <= committed ? epoch != kept : epoch <= abandoned)) return slot;
        if (epoch > committed && (!oldest || epoch < uses_[*oldest].epoch)) oldest = slot;
    }
    if (!session_.connected()) return *oldest; // only one slot is kept
    return failure(Code::save_busy, format("epoch {} is still being copied", uses_[*oldest].epoch));
}

recovery::SlotHeader Client::make_header(std::uint64_t step) const
{
    recovery::SlotHeader header;
    header.owner = owner();
    header.epoch = session_.terms().next_epoch + (step - first_step());
    header.step = step;
    return header;
}

void Client::leave_out(std::uint64_t step)
{
    policy_.note_busy(step);
    skip(step);
}

/// Says that this rank's part of an epoch will never come, so that the others don't wait for it; and which older ones it
/// still holds, so that these may be committed.
void Client::skip(std::uint64_t step)
{
    session_.tell(
        {{"op", "skipped"}, {"epoch", make_header(step).epoch}, {"step", step}, {"held", list_uncommitted()}});
}

std::vector<std::uint64_t> Client::list_uncommitted() const
{
    std::vector<std::uint64_t> epochs;
    for (const SlotUse& use : uses_)
        if (use.epoch > newest_committed()) epochs.push_back(use.epoch);
    return epochs;
}

Result<void> Client::put(recovery::Extent extent, std::span<const std::byte> data)
{
    if (!save_) return wrong_order("no save has been started");
    return save_->put(std::move(extent), data);
}

Result<void> Client::complete_save(bool valid)
{
    if (!save_) return wrong_order("no save has been started");
    auto sealed = valid ? save_->seal() : Result<void>();
    const unsigned slot = save_->slot();
    const SlotUse use{save_->epoch(), save_->step(), false};
    save_.reset();
    if (!valid || !sealed) skip(use.step);
    if (!valid || !sealed) return sealed;
    uses_[slot] = use;
    tell_sealed();
    return report_health();
}

Result<void> Client::report_health() const
{
    if (session_.fenced()) return tl::unexpected(*session_.fenced());
    if (!std::ranges::all_of(uses_, &SlotUse::told)) return failure(Code::keeper_lost, "the snapshot has no copy on another node");
    if (session_.segment().degraded())
        return failure(Code::degraded, "the snapshot has fewer copies than the contract promises");
    return {};
}

} // namespace mscale::library
