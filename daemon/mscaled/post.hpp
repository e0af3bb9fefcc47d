#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "contract/state.hpp"
#include "daemon/mscaled/contract_state.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"

/// One posting of a contract's state.  What returns a Result waits for slurmctld: only for a Worker.
namespace mscale::daemon {

enum class PostOutcome {
    posted, ///< AdminComment says it, and the action was done
    kept,   ///< AdminComment holds a state that this one may not follow
    ended,  ///< the job, or the run that was judged, no longer runs
    moved,  ///< refused for silent nodes of which some aren't the job's any more: nothing was done
};

/// How a posting ended.
struct Posted {
    PostOutcome outcome = PostOutcome::ended;
    std::optional<std::uint32_t> restarts; ///< the run that it was posted for
};

/// True when the judgement is of the run that slurmctld shows: one that came late must not end the next run.
/// Pure.
bool is_of_run(const JobFacts& facts, const Judgement& judgement);

/// What slurmctld makes of a refusal for silence, which cancels the job: nothing when the job still runs on all
/// nodes that are silent.  Pure.
std::optional<PostOutcome> contradict_silence(const Judgement& judgement, const JobFacts& facts);

/// Writes our segment of the job's AdminComment, every other byte kept, and then does the action.
/// Doing it again after an error is harmless.
Result<Posted> post_judgement(std::uint32_t job_id, Judgement judgement);

/// What AdminComment is to say of a job that has ended and was judged last as `judged`, which may have come too late
/// to be posted: `released`, with the last state as `was`; a refusal or a breach stays.  Nothing when `posted` is that
/// already, or there is none.
std::optional<contract::Comment> released_comment(const std::optional<contract::Comment>& posted,
                                                  const Judgement& judged);

/// Posts `released` for a job that has ended.  True when nothing is left to do; false when the job is still
/// completing. slurmctld takes no change any more, so the accounting is changed, by a child process that runs
/// `program` (this program, with `--config config --record-released JOB`): slurmdb's client may die on an
/// error of slurmdbd.
Result<bool> post_released(std::uint32_t job_id, const Judgement& judged, const std::string& program,
                           const std::string& config);

/// What the child does: sets the job's AdminComment in the accounting.
Result<void> record_in_accounting(std::uint32_t job_id, const std::string& text);

/// The step of the newest snapshot that a run of the job has told slurmctld of, or nothing.  Waits for slurmctld.
Result<std::optional<std::uint64_t>> load_told_snapshot(std::uint32_t job_id);

/// The comment of a job that waits to run again, with `waits_for=operator` while it is held and without it otherwise; nothing
/// when it says so already, or is none.  Pure.
std::optional<contract::Comment> held_comment(const std::optional<contract::Comment>& posted, bool held);
/// Posts it.  Waits for slurmctld.
Result<void> tell_held(const JobFacts& facts);

/// How long to wait after so many failures in a row: 1 s, doubled each time, a minute at most.
std::chrono::milliseconds retry_delay(unsigned failures);
/// How long to wait before a job is asked about again that was found completing so many times: 3 s, doubled each time, a minute
/// at most; a lost epilog may keep it so for hours.
std::chrono::milliseconds completing_delay(unsigned times);

} // namespace mscale::daemon
