#include "library/client.hpp"

#include <algorithm>
#include <numeric>

#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::library {
namespace {

constexpr std::chrono::milliseconds between_progress{50};

} // namespace

tl::unexpected<Error> wrong_order(std::string text)
{
    return failure(Code::save_order, std::move(text));
}

Client::Client(Session&& session, const Rank& rank)
    : session_(std::move(session)), rank_(rank),
      policy_(session_.terms().every_steps, session_.terms().every_time, rank.ranks, Clock::now())
{
    take_restore(session_.terms().restore);
}

void Client::take_restore(const std::optional<RestorePoint>& restore)
{
    uses_ = {};
    committed_ = 0;
    point_ = restore;
    restart_pending_ = restore.has_value();
    if (restore && !restore->writers) uses_[restore->slot] = {restore->epoch, restore->step, true};
}

recovery::Owner Client::owner() const
{
    const Terms& terms = session_.terms();
    return {terms.job_id, terms.uid, rank_.rank, rank_.ranks, terms.incarnation};
}

// What the keeper pushes is looked at between saves only: its memory may change.
void Client::pump()
{
    if (is_busy()) return;
    committed_ = newest_committed();
    watch_commit();
    const auto joined = session_.pump(Clock::now());
    for (const Json& event : session_.take_events()) take(event);
    if (joined == Session::Joined::with_new_memory) uses_ = {};
    if (joined == Session::Joined::anew) tell_again();
    if (joined != Session::Joined::before) {
        told_notice_ = false;
        departure_.announce_again();
    }
    tell_sealed();
    tell_notice();
}

void Client::watch_commit()
{
    if (!begun_ || begun_->epoch > committed_) return;
    policy_.note_commit(Clock::now() - begun_->at);
    begun_.reset();
}

void Client::take(const Json& event)
{
    const auto name = read_member<std::string>(event, "event", "event");
    const auto step = read_member<std::uint64_t>(event, "step", "event");
    if (!name) return;
    if (*name == "ending") departure_.begin();
    if (*name == "at" && step) departure_.allow(*step);
    if (*name == "exit") take_exit(step.value_or(0));
    if (*name == "save" && step) policy_.ask_save(*step);
}

/// A rank that has passed the step, since it heard nothing in time, leaves at no other.
void Client::take_exit(std::uint64_t step)
{
    departure_.end();
    if (step == 0 || done_ <= step) policy_.ask_exit(step);
}

void Client::tell_sealed()
{
    std::array<unsigned, recovery::SegmentLayout::slots> slots{};
    std::iota(slots.begin(), slots.end(), 0U);
    std::ranges::sort(slots, {}, [this](unsigned slot) { return uses_[slot].epoch; });
    for (const unsigned slot : slots) {
        SlotUse& use = uses_[slot];
        if (use.told) continue;
        use.told = session_.tell({{"op", "sealed"}, {"slot", slot}, {"epoch", use.epoch}, {"step", use.step}});
    }
}

/// The keeper that was told of these snapshots may have ended before it copied them.
void Client::tell_again()
{
    for (SlotUse& use : uses_)
        if (use.epoch > newest_committed()) use.told = false;
}

std::uint64_t Client::newest_committed() const
{
    return std::max({session_.segment().committed_epoch(), committed_, point_ ? point_->epoch : 0});
}

std::uint64_t Client::first_step() const
{
    return point_ ? point_->step + 1 : 0;
}

bool Client::need_save(std::uint64_t step)
{
    done_ = std::max(done_, step);
    pump();
    tell_progress();
    hold(step);
    return policy_.need_save(step, Clock::now());
}

void Client::progress(std::uint64_t step)
{
    done_ = step;
    pump();
    tell_progress();
    hold(step);
    obey_if_passed(step);
}

void Client::tell_progress()
{
    const auto now = Clock::now();
    const bool is_due = now - told_progress_ >= between_progress;
    if (is_due && session_.tell({{"op", "progress"}, {"step", done_}})) told_progress_ = now;
}

bool Client::should_exit()
{
    pump();
    return policy_.should_exit(done_);
}

std::optional<std::uint64_t> Client::find_committed()
{
    pump();
    const std::uint64_t epoch = newest_committed();
    if (point_ && point_->epoch == epoch) return point_->step;
    const std::uint64_t first = session_.terms().next_epoch;
    if (epoch < first) return std::nullopt;
    return epoch - first + first_step();
}

} // namespace mscale::library
