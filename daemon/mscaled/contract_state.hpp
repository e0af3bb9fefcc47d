#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/state.hpp"
#include "daemon/mscaled/report.hpp"

/// The state of a job's contract, out of what its nodes reported.  Pure: no clock, no file, no socket.
namespace mscale::daemon {

/// What follows a state beside posting it.
enum class Action { none, cancel, requeue };

/// The state that holds now, why, and what is to be done; of one run of the job.
struct Judgement {
    contract::Comment comment;
    Action action = Action::none;
    bool by_silence = false;  ///< refused because nodes didn't report
    std::int64_t started = 0; ///< when the run's first ledger was begun, by its node's clock; 0 unknown
    /// The run, as slurmctld counts; nothing before the first posting.
    std::optional<std::uint32_t> restarts = {};
    std::vector<std::string> silent = {}; ///< the nodes that didn't report
    bool operator==(const Judgement&) const = default;
};

/// True when both say and do the same in the same run.
bool is_same_post(const Judgement& a, const Judgement& b);

class ContractState {
public:
    using Instant = std::chrono::steady_clock::time_point;

    /// `known` is when this daemon first heard of the job: silence counts from then, so that a daemon that
    /// has just started gives the others their time to speak.
    ContractState(std::uint32_t job_id, Instant known) : job_id_(job_id), known_(known) {}

    /// Takes a report.  One of a later run of the job replaces all of the earlier run; one of an earlier run
    /// is dropped.
    void add(const Report& report, Instant now);
    /// The nodes of the allocation, when no report could say them.
    void expect(std::vector<std::string> nodes);
    /// Takes slurmctld's word for the nodes of the allocation; reports of others are dropped.
    void replace_nodes(std::vector<std::string> nodes);
    /// The job has ended, and with it its steps.
    void end() { ended_ = true; }
    /// Whether a `mscale run` takes care of the job: then lost parts are made good by a new run of its step.
    void attend(bool attended) { attended_ = attended; }
    /// True while the promise of snapshots may come to be broken by the mere passing of time.
    bool promises_snapshots() const;
    /// Ends the wait for silent nodes: slurmctld already shows a state that needed all of them.
    void settle() { settled_ = true; }
    bool settled() const { return settled_; }
    /// What slurmctld counted when a state of this run was posted first.  No ledger tells it: slurmd's prolog
    /// isn't told which run it is.
    void learn_run(std::uint32_t restarts) { run_ = restarts; }

    /// The state now; nodes that haven't reported within `deadline` make it `refused`.
    Judgement judge(Instant now, std::chrono::milliseconds deadline) const;

    std::uint32_t job_id() const { return job_id_; }
    std::uint32_t uid() const { return uid_; }
    const std::vector<std::string>& nodes() const { return nodes_; }
    const std::map<std::string, Report>& reports() const { return reports_; }
    std::vector<std::string> missing() const; ///< nodes that haven't said that they applied or refused

private:
    void learn_snapshot(const KeptState& kept, Instant now);
    Judgement judge_run(Instant now, std::chrono::milliseconds deadline) const;
    Judgement judge_breach(const Report& report) const;
    Judgement judge_loss(const Report& report, const LostPart& lost) const;
    std::optional<Judgement> judge_losses() const;
    Judgement judge_refusal(const Report& report) const;
    Judgement judge_silence() const;
    Judgement judge_whole() const;
    std::optional<std::string> find_unkept(Instant now) const;

    std::uint32_t job_id_;
    std::uint32_t uid_ = 0;
    std::uint32_t restarts_ = 0;
    std::int64_t started_ = 0;
    std::optional<std::uint32_t> run_;
    std::uint64_t snapshot_ = 0; ///< the committed step that is told
    std::uint64_t spilled_ = 0;  ///< the step in files that is told
    Instant snapshot_told_{};
    Instant known_;
    bool settled_ = false, ended_ = false, attended_ = false;
    std::vector<std::string> nodes_;
    std::map<std::string, Report> reports_;
};

/// What is to be posted in place of `current`: a snapshot that was told stays told, also over the runs of the job, so that no
/// run begins from nothing where all that knew of it are lost.
contract::Comment carry_snapshot(const std::optional<contract::Comment>& current, contract::Comment next);
/// The step of the snapshot that a comment tells, or nothing.
std::optional<std::uint64_t> told_snapshot(const contract::Comment& comment);

/// The node that writes the state: the first of the allocation that lives.
std::string choose_writer(const std::vector<std::string>& nodes, const std::vector<std::string>& dead);

/// True when `next` may replace what AdminComment holds: within one run (the same `restarts`) nothing follows
/// `refused`, only recovery follows `breached` (or, where nothing was registered, the cure; where the training goes on
/// without a part, another breach), and silence refuses no contract that has been granted.
bool may_follow(const contract::Comment& current, const Judgement& next);

} // namespace mscale::daemon
