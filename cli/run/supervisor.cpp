#include "cli/run/supervisor.hpp"

#include <algorithm>
#include <csignal>
#include <limits>

#include "base/text.hpp"
#include "cli/run/choose_nodes.hpp"

namespace mscale::cli {
namespace {

using std::chrono::milliseconds;

std::string describe_status(int status)
{
    return status > 128 ? format("exit code {} (signal {})", status, status - 128)
                        : format("exit code {}", status);
}

/// The nodes that step in for others, and for which.
std::string describe_change(const std::vector<std::string>& before, const std::vector<std::string>& after)
{
    std::vector<std::string> in, out;
    for (const std::string& node : after)
        if (std::ranges::find(before, node) == before.end()) in.push_back(node);
    for (const std::string& node : before)
        if (std::ranges::find(after, node) == after.end()) out.push_back(node);
    if (in.empty()) return "on the same nodes";
    return format("with {} in place of {}", join(in, ", "), join(out, ", "));
}

} // namespace

Supervisor::Supervisor(const Setup& setup, RunView view)
    : setup_(setup), view_(std::move(view)), timing_(recovery::derive_timing(view_.detect)),
      book_(setup.max_restarts)
{
}

std::vector<Act> Supervisor::begin(Moment now)
{
    heard_at_ = now.steady;
    const auto nodes = choose_nodes({view_.nodes, {}, gone_nodes(), {}, setup_.wanted_nodes});
    if (nodes)
        launch(*nodes, now);
    else
        give_up_nodes(nodes.error());
    return take_acts();
}

std::vector<Act> Supervisor::on_view(const RunView& view, Moment now)
{
    if (state_ == State::done) return {};
    view_ = view;
    heard_at_ = now.steady;
    watch_progress(now);
    tell_silence(now);
    watch_end();
    if (state_ == State::running) check_nodes(now);
    if (state_ == State::running) check_hang(now);
    if (state_ == State::running) check_parts(now);
    check_gone(now);
    if (state_ == State::running) check_done(now);
    if (state_ == State::settling) settle(now);
    return take_acts();
}

std::vector<Act> Supervisor::on_srun_end(const SrunEnd& end, Moment now)
{
    if (state_ == State::done) return {};
    status_ = is_done_ended_ ? 0 : end.status; // it was killed
    ended_wall_ = now.wall;
    if (stop_signal_ && !has_ranks_to_tell() && !view_.end) {
        finish(Outcome::ended, status_);
    } else if (state_ == State::fencing && !is_gone_ended_ && !is_done_ended_ && !(is_told_to_end() && is_end_confirmed())) {
        story_.fenced(now.wall);
        go_on(*std::exchange(loss_, {}), now);
    } else {
        state_ = State::settling;
        // A rank that fails because its peer's node died ends before the others agree on the death.
        deadline_ = now.steady + timing_.detect + timing_.vote + timing_.beat;
        if (status_ == 0 || is_end_confirmed()) return take_acts();
        acts_.emplace_back(act::AskAllocation{});
        acts_.emplace_back(act::FenceStep{}); // nothing is left of it, unless srun was killed alone
    }
    return take_acts();
}

std::vector<Act> Supervisor::on_fenced(bool had_step, Moment)
{
    // srun still waits for its step: it takes the request back.
    if (state_ == State::fencing && !had_step) acts_.emplace_back(act::SendSignal{SIGTERM});
    return take_acts();
}

std::vector<Act> Supervisor::on_allocation(const std::optional<std::vector<std::string>>& nodes, Moment now)
{
    if (!nodes || state_ == State::done) return {};
    for (const std::string& node : view_.nodes)
        if (std::ranges::find(*nodes, node) == nodes->end()) taken_.insert(node);
    if (state_ == State::settling) settle(now);
    return take_acts();
}

std::vector<Act> Supervisor::on_time(Moment now)
{
    if (state_ == State::settling && now.steady >= deadline_) lose_by_program(now);
    check_launch(now);
    tell_own_silence(now);
    if (state_ == State::fencing && now.steady >= deadline_ && !is_srun_killed_) {
        is_srun_killed_ = true;
        say("the old step didn't end in time: its srun is killed");
        acts_.emplace_back(act::KillSrun{});
    }
    return take_acts();
}

bool Supervisor::is_of_this_run(const RankView& ranks) const
{
    return !earlier_ || ranks.is_newer_than(*earlier_);
}

/// What speaks for the end of the program, beside srun's 0.
bool Supervisor::is_complete() const
{
    if (status_ != 0) return false;
    const RankView& ranks = view_.ranks;
    if (is_of_this_run(ranks) && ranks.joined > 0) return ranks.left == ranks.joined;
    const auto gone = gone_nodes();
    return std::ranges::none_of(nodes_, [&gone](const std::string& node) { return gone.contains(node); });
}

void Supervisor::watch_progress(Moment now)
{
    const RankView& ranks = view_.ranks;
    if (!is_of_this_run(ranks) || ranks.joined == 0) return;
    if (story_.is_open()) story_.watch(ranks, now.wall);
    if (story_.is_complete()) acts_.emplace_back(act::ShowTimeline{story_.tell(setup_.job_id)});
    if (step_ && ranks.least_step > *step_) measure_step(ranks.least_step - *step_, now);
    if (step_ != ranks.least_step) stepped_at_ = progressed_at_ = now.steady;
    if (signs_ != ranks.signs) progressed_at_ = now.steady;
    step_ = ranks.least_step;
    signs_ = ranks.signs;
}

/// The first step of a run is no measure: before it programs compile, connect and warm up.
void Supervisor::measure_step(std::uint64_t steps, Moment now)
{
    const milliseconds took = std::max(now.steady - stepped_at_, milliseconds(1));
    if (std::exchange(has_trained_, true)) {
        longest_step_ = std::max(longest_step_, took);
        steps_per_ms_ =
            std::max(steps_per_ms_, static_cast<double>(steps) / static_cast<double>(took.count()));
    }
}

void Supervisor::check_nodes(Moment now)
{
    for (const std::string& node : nodes_) {
        const LostNode* dead = find_dead(view_, node);
        if (!dead) continue;
        fence(make_loss(Cause::node, node, dead->reason), dead->last_heard, dead->reason, now);
        return;
    }
}

/// Ranks that are about to leave wait for the commit of their last save.
milliseconds Supervisor::find_hang_limit() const
{
    constexpr milliseconds for_the_last_commit = std::chrono::minutes(10);
    const milliseconds measured = recovery::hang_limit(timing_, has_trained_ ? longest_step_ : milliseconds(0));
    return setup_.hang_limit.value_or(is_told_to_end() ? std::max(measured, for_the_last_commit) : measured);
}

void Supervisor::check_hang(Moment now)
{
    const RankView& ranks = view_.ranks;
    if (!is_of_this_run(ranks) || ranks.joined == 0 || ranks.left == ranks.joined) return;
    const milliseconds limit = find_hang_limit();
    const milliseconds still = now.steady - progressed_at_;
    if (still <= limit || limit.count() == 0) return;
    const std::string how = format("no progress for {} ms, and the limit is {} ms; a program that pauses for longer says so by "
                                   "mscale_progress or ctx.progress() meanwhile, or --hang-limit=SECONDS gives it the time",
                                   still.count(), limit.count());
    fence(make_loss(Cause::hang, ranks.slowest, how), now.wall - still, how, now);
}

void Supervisor::fence(Loss loss, milliseconds lost_at, const std::string& how, Moment now)
{
    open_story(loss, lost_at, how, now);
    begin_fence(std::move(loss), now);
}

void Supervisor::begin_fence(Loss loss, Moment now)
{
    loss_ = std::move(loss);
    state_ = State::fencing;
    deadline_ = now.steady + timing_.fence;
    is_srun_killed_ = false;
    acts_.emplace_back(act::FenceStep{});
}

void Supervisor::open_story(const Loss& loss, milliseconds lost_at, const std::string& how, Moment now)
{
    story_.begin(loss.cause == Cause::node   ? "node " + loss.node
                 : loss.cause == Cause::hang ? std::string("a rank that stood still")
                                             : std::string("a rank"),
                 how, lost_at, now.wall);
}

/// srun has ended: the run is done, or a node of it is gone, or the last beats are still awaited.
void Supervisor::settle(Moment now)
{
    if (is_told_to_end()) return settle_end();
    if (is_complete()) return finish(Outcome::complete, 0);
    for (const std::string& node : nodes_) {
        const LostNode* dead = find_dead(view_, node);
        if (!dead && !taken_.contains(node)) continue;
        const std::string why = dead ? dead->reason : "slurmctld took it out of the job";
        const Loss loss = make_loss(Cause::node, node, why);
        open_story(loss, dead ? dead->last_heard : ended_wall_, why, now);
        story_.fenced(now.wall);
        return go_on(loss, now);
    }
    settle_part(now);
    if (state_ == State::settling && is_refused()) return end_refused();
    if (state_ == State::settling) settle_gone(now);
}

void Supervisor::lose_by_program(Moment now)
{
    if (is_told_to_end() && (status_ == 0 || is_end_confirmed())) return conclude_end();
    if (is_complete()) return finish(Outcome::complete, 0);
    if (view_.gone && view_.gone->status != 0 && is_of_this_run(view_.ranks)) status_ = view_.gone->status; // the others end for it
    const RankView& ranks = view_.ranks;
    const std::string what = status_ != 0
                                 ? describe_status(status_)
                                 : format("exit code 0, but {} of {} ranks haven't said that they are done",
                                          ranks.joined - ranks.left, ranks.joined);
    const Loss loss = make_loss(Cause::program, "", what);
    open_story(loss, gone_at_.value_or(ended_wall_), what, now);
    story_.fenced(now.wall);
    go_on(loss, now);
}

void Supervisor::go_on(const Loss& loss, Moment now)
{
    const Remedy remedy = book_.add(loss, step_slack());
    say(describe(loss));
    if (remedy != Remedy::restart) return give_up(remedy);
    place(format("restart {} of {}", book_.restarts(), book_.max_restarts()), now);
}

void Supervisor::place(const std::string& why, Moment now)
{
    forget_lost_parts();
    const auto nodes = choose_nodes({view_.nodes, nodes_, gone_nodes(), book_.blamed(), setup_.wanted_nodes});
    if (!nodes) return give_up_nodes(nodes.error());
    say(format("{} {}, {}", why, describe_change(nodes_, *nodes),
               view_.committed_step ? format("going on with step {}", *view_.committed_step + 1)
               : setup_.has_past    ? std::string("from what its keepers find: this run has committed no snapshot, and it begins "
                                                  "from nothing only where none was ever committed")
                                    : std::string("from the beginning: no snapshot was committed yet")));
    launch(*nodes, now);
}

void Supervisor::launch(std::vector<std::string> nodes, Moment now)
{
    nodes_ = std::move(nodes);
    state_ = State::running;
    earlier_refusal_ = view_.refusal;
    earlier_ = view_.ranks.joined > 0 ? std::optional(view_.ranks) : std::nullopt;
    step_.reset();
    has_trained_ = asked_job_end_ = is_handed_on_ = asked_for_gone_ = is_gone_ended_ = is_done_ended_ = asked_step_ = false;
    told_silent_.clear();
    done_at_.reset();
    job_end_.reset();
    gone_at_.reset();
    stepped_at_ = progressed_at_ = now.steady;
    if (story_.is_open()) story_.launched(now.wall, setup_.tasks, view_.committed_step);
    acts_.emplace_back(act::Launch{nodes_});
}

void Supervisor::give_up(Remedy remedy)
{
    const char* const why =
        remedy == Remedy::give_up_budget ? "the restarts are used up"
        : remedy == Remedy::give_up_no_progress
            ? "two runs in a row ended at the same step by the program's own fault: another would too"
            : "no rank had registered its state, so that a new run would begin from nothing";
    say(format("stopped after {} restarts: {}", book_.restarts(), why));
    if (book_.losses().size() > 1)
        for (const std::string& line : describe(book_.losses())) say(line);
    finish(remedy == Remedy::give_up_budget        ? Outcome::out_of_restarts
           : remedy == Remedy::give_up_no_progress ? Outcome::no_progress
                                                   : Outcome::unregistered,
           status_ != 0 ? status_ : 1);
}

void Supervisor::give_up_nodes(const Error& error)
{
    say(to_line(error));
    if (setup_.requeues) {
        say("the job is requeued and goes on from its snapshots on other nodes");
        acts_.emplace_back(act::Requeue{});
    }
    finish(Outcome::out_of_nodes, status_ != 0 ? status_ : 1, setup_.requeues);
}

void Supervisor::finish(Outcome outcome, int status, bool requeued)
{
    state_ = State::done;
    outcome_ = outcome;
    RunVerdict ended = verdict();
    ended.status = status;
    ended.requeued = requeued;
    acts_.emplace_back(act::Finish{std::move(ended)});
}

RunVerdict Supervisor::verdict() const
{
    return {setup_.job_id, outcome_, 0, status_, false, view_.committed_step, book_.restarts(), book_.losses()};
}

Loss Supervisor::make_loss(Cause cause, std::string node, std::string what) const
{
    const bool has_ranks = is_of_this_run(view_.ranks) && view_.ranks.joined > 0;
    // A rank tells its step each 50 ms; what is committed was reached by all.
    const std::uint64_t reached = std::max(view_.ranks.least_step, view_.committed_step.value_or(0));
    return {cause,
            std::move(node),
            std::move(what),
            has_ranks ? reached : 0,
            view_.committed_step,
            has_ranks};
}

/// A rank tells its step every 50 ms.  Of ranks that never were seen at two steps nothing says how fast they are.
std::uint64_t Supervisor::step_slack() const
{
    constexpr double untold_ms = 100;
    if (steps_per_ms_ == 0) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(steps_per_ms_ * untold_ms);
}

std::set<std::string> Supervisor::gone_nodes() const
{
    std::set<std::string> gone = taken_;
    gone.insert(unfit_.begin(), unfit_.end());
    for (const LostNode& dead : view_.dead) gone.insert(dead.node);
    return gone;
}

} // namespace mscale::cli
