#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/run/job_end.hpp"
#include "cli/run/losses.hpp"
#include "cli/run/recovery_story.hpp"
#include "cli/run/run_verdict.hpp"
#include "cli/run/run_view.hpp"
#include "recovery/timing.hpp"

namespace mscale::cli {

/// What the supervisor wants done.  Whoever does it reports the outcome by the supervisor's on_… functions.
namespace act {
struct Launch { ///< start srun on these nodes
    std::vector<std::string> nodes;
};
struct FenceStep {}; ///< have Slurm kill the step of srun                     -> on_fenced
struct KillSrun {};  ///< SIGKILL to srun                                      -> on_srun_end
struct SendSignal {  ///< to srun, which hands SIGUSR1 and SIGUSR2 to its tasks
    int signal = 0;
};
struct EndStep { ///< the signal to the tasks by Slurm: srun would answer SIGTERM by SIGKILL to all of them
    int signal = 0;
};
struct AskAllocation {}; ///< which nodes slurmctld has in the job now           -> on_allocation
struct Requeue {};       ///< have Slurm requeue the job
struct TellRanks {       ///< by mscaled, that the job is to end: they leave after a common step that is saved
    int signal = 0;
};
struct EndRanks {};      ///< by mscaled, that what is left of the run is killed on every node
struct AskStep {};       ///< whether slurmctld has a step of srun's by now          -> on_step
struct AskJobEnd {};     ///< why slurmctld ends the job                       -> on_job_end
struct Say {             ///< one line for people
    std::string text;
};
struct ShowTimeline {
    recovery::Timeline timeline;
};
struct Finish { ///< end with its exit status
    RunVerdict verdict;
};
} // namespace act
using Act = std::variant<act::Launch, act::FenceStep, act::KillSrun, act::SendSignal, act::EndStep,
                         act::AskAllocation, act::AskStep, act::Requeue, act::TellRanks, act::EndRanks, act::AskJobEnd, act::Say,
                         act::ShowTimeline, act::Finish>;

/// When something happened.
struct Moment {
    std::chrono::milliseconds steady{}; ///< of a clock that never goes back, for every limit
    std::chrono::milliseconds wall{};   ///< since 1970, for what people read
};

/// How srun ended: its exit status, or 128 + the signal that killed it.  Evidence, never the verdict.
struct SrunEnd {
    int status = 0;
};

/// A signal to `mscale run`.
struct ReceivedSignal {
    int signal = 0;
    bool is_terminals = false; ///< srun has had it too: it tells its state, and ends at the second
};

/// Decides what `mscale run` does: a state machine without acts of its own.  Pure: the caller gives the time.
///
///   running   -> fencing    a node of the run died or lost a part, its ranks stand still, or some of them are gone
///             -> settling   srun ended
///   settling  -> done       all ranks have said that they are done, or nothing speaks against srun's 0
///             -> running    the run was lost: another on live nodes
///   fencing   -> running    srun has ended
///             -> settling   the same, where ranks were gone: their node may be, too (supervisor_gone.cpp)
///
/// A lost port is told and changes nothing: the training goes on (supervisor_parts.cpp).
///
/// Once the run is told to end, by a signal to `mscale run` or to its ranks, no other is begun: settling ends with what became
/// of its last snapshot (supervisor_end.cpp).
class Supervisor {
public:
    struct Setup {
        std::uint32_t job_id = 0;
        unsigned wanted_nodes = 1;
        unsigned tasks = 1;
        unsigned max_restarts = 10;
        std::optional<std::chrono::milliseconds>
            hang_limit;        ///< 0: never; nothing: measured (recovery/timing.hpp)
        bool requeues = false; ///< the job may be requeued when its nodes don't suffice
        bool has_past = false; ///< an earlier run of the job, or the job of ft.resume, may have left snapshots
    };

    /// `view` is the first answer of mscaled.
    Supervisor(const Setup& setup, RunView view);

    std::vector<Act> begin(Moment now);
    /// How the run stands.
    RunVerdict verdict() const;
    std::vector<Act> on_view(const RunView& view, Moment now);
    std::vector<Act> on_srun_end(const SrunEnd& end, Moment now);
    /// Whether Slurm had a step of srun to kill.
    std::vector<Act> on_fenced(bool had_step, Moment now);
    /// Nothing where slurmctld didn't answer.
    std::vector<Act> on_allocation(const std::optional<std::vector<std::string>>& nodes, Moment now);
    std::vector<Act> on_signal(const ReceivedSignal& signal, Moment now);
    std::vector<Act> on_step(bool has_step, Moment now);
    std::vector<Act> on_job_end(const JobEnd& end, Moment now);
    /// Called every 100 ms or so.
    std::vector<Act> on_time(Moment now);

private:
    enum class State { running, fencing, settling, done };

    bool is_of_this_run(const RankView& ranks) const;
    bool is_complete() const;
    void watch_progress(Moment now);
    void measure_step(std::uint64_t steps, Moment now);
    void check_nodes(Moment now);
    void check_hang(Moment now);
    void check_launch(Moment now);
    void tell_silence(Moment now);
    void tell_own_silence(Moment now);
    const LostPart* find_lost_part(const std::string& way);
    const LostPart* find_fatal_part();
    void check_parts(Moment now);
    void end_without_part(Moment now);
    void settle_part(Moment now);
    void check_gone(Moment now);
    void end_for_gone(Moment now);
    void check_done(Moment now);
    void settle_gone(Moment now);
    void forget_lost_parts();
    void tell_reroute(const LostPart& lost, Moment now);
    void open_story(const LostPart& lost, Moment now);
    std::chrono::milliseconds find_hang_limit() const;
    void fence(Loss loss, std::chrono::milliseconds lost_at, const std::string& how, Moment now);
    void begin_fence(Loss loss, Moment now);
    void open_story(const Loss& loss, std::chrono::milliseconds lost_at, const std::string& how, Moment now);
    void settle(Moment now);
    void lose_by_program(Moment now);
    /// A rank that is refused later, as its mscaled began anew, trains on without snapshots.
    bool is_refused() const { return view_.refusal && view_.refusal != earlier_refusal_ && !has_trained_; }
    void end_refused();
    void go_on(const Loss& loss, Moment now);
    void place(const std::string& why, Moment now);
    void launch(std::vector<std::string> nodes, Moment now);
    void give_up(Remedy remedy);
    void give_up_nodes(const Error& error);
    bool has_ranks_to_tell() const;
    bool is_told_to_end() const;
    bool is_end_confirmed() const;
    bool is_end_of_step() const;
    bool has_left_as_told() const;
    void hand_on(const ReceivedSignal& received, bool has_srun, bool ends);
    void watch_end();
    void settle_end();
    void conclude_end();
    void finish(Outcome outcome, int status, bool requeued = false);
    void say(std::string text) { acts_.emplace_back(act::Say{std::move(text)}); }
    Loss make_loss(Cause cause, std::string node, std::string what) const;
    std::uint64_t step_slack() const;
    std::set<std::string> gone_nodes() const;
    std::vector<Act> take_acts() { return std::exchange(acts_, {}); }

    Setup setup_;
    RunView view_;
    recovery::Timing timing_;
    LossBook book_;
    RecoveryStory story_;
    std::vector<Act> acts_; // of the event that is being handled

    State state_ = State::running;
    Outcome outcome_ = Outcome::running;
    std::vector<std::string> nodes_;  // of the run
    std::optional<RankView> earlier_; // the newest run's ranks when this one was launched
    std::vector<LostPart> told_parts_; // whose way back was begun
    std::set<std::string> unfit_;     // nodes that lost what a rank can't do without
    std::set<std::string> taken_;     // nodes that slurmctld has no longer in the job
    std::optional<int> stop_signal_;  // somebody wants it to end: no new run
    bool asked_job_end_ = false, is_handed_on_ = false;
    std::optional<RefusedRanks> earlier_refusal_; // as it stood when this run was launched
    std::optional<JobEnd> job_end_; // once slurmctld has answered
    std::optional<std::chrono::milliseconds> gone_at_; // when ranks of this run were seen to be gone, by the wall clock
    bool asked_for_gone_ = false, is_gone_ended_ = false;
    std::optional<std::chrono::milliseconds> done_at_; // when all ranks of this run were seen to have left and ended
    bool is_done_ended_ = false;
    std::optional<Loss> loss_;        // for which the step is fenced
    int status_ = 0;                  // of the last srun
    bool is_srun_killed_ = false;
    bool asked_step_ = false; // of this run, which begins late
    std::vector<std::string> told_silent_; // nodes that this run waits for, as was said
    std::optional<std::chrono::milliseconds> heard_at_; // when mscaled of this node answered last
    std::chrono::milliseconds deadline_{}; // of fencing and settling
    std::chrono::milliseconds progressed_at_{}, stepped_at_{}, ended_wall_{};
    std::uint64_t signs_ = 0;                  // of life between steps, told by all ranks
    std::optional<std::uint64_t> step_;        // of the slowest rank of this run
    bool has_trained_ = false;                 // a step of this run was seen
    std::chrono::milliseconds longest_step_{}; // between two changes of it
    double steps_per_ms_ = 0;                  // the fastest that was seen
};

} // namespace mscale::cli
