#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/json_forward.hpp"
#include "daemon/keeper/exit_word.hpp"
#include "daemon/keeper/keepers.hpp"
#include "recovery/last_step.hpp"

namespace mscale::daemon {

/// A job that is to end, as a node knows it.
struct JobExit {
    recovery::Incarnation run;
    std::uint32_t signal = 0;          ///< of the notice
    std::optional<std::uint64_t> step; ///< the last one of all ranks, once they have agreed on it
    bool operator==(const JobExit&) const = default;
};

/// How the ranks of a job leave after the same step when the job is to end (preemption, time limit, requeue, a signal).
/// Lives on the loop of every node; as coordinator it acts for the jobs whose keepers ask it.
///
///   a rank or `mscale run` of this node had the notice   end     -> coordinator -> ending -> all keepers -> their ranks
///   a rank announces a step (recovery/last_step.hpp)     at      -> coordinator -> how far the rank may go
///   all ranks have announced one                         exit    -> all keepers -> their ranks
class Exits {
public:
    /// Sends an event to the ranks of this node that belong to the run, or to one of them.
    using Push = std::function<void(std::uint32_t job_id, const recovery::Incarnation& run,
                                    std::optional<std::uint32_t> rank, const Json& event)>;

    Exits(Keepers& keepers, Push push) : keepers_(keepers), push_(std::move(push)) {}

    /// True for the operations of other keepers.
    static bool knows(const std::string& op);
    void answer(const std::string& op, const Json& body, const Keepers::Answer& answer);

    /// Somebody of this node was told that the run is to end.  May be said again and again.
    void notice(std::uint32_t job_id, const recovery::Incarnation& run, std::uint32_t signal);
    /// A rank of this node announces a step.
    void announce(const recovery::Owner& owner, std::uint64_t step);
    /// Nothing where the job's newest run isn't known to end.
    std::optional<JobExit> exit_of(std::uint32_t job_id) const;
    void forget(std::uint32_t job_id) { jobs_.erase(job_id); }

private:
    struct Job {
        JobExit exit;
        bool noticed = false; ///< a keeper said that it is to end
        std::chrono::steady_clock::time_point told{};
        std::optional<recovery::LastStep> last; ///< where this node is the coordinator
    };

    Job* find(std::uint32_t job_id, const recovery::Incarnation& run);
    Json take_end(Job& job, const ExitWord& word);
    Json take_at(Job& job, const ExitWord& word);
    Json take_ending(Job& job, const ExitWord& word);
    Json take_exit(Job& job, const ExitWord& word);
    void tell_all(const char* op, const Job& job, std::uint32_t job_id);

    Keepers& keepers_;
    Push push_;
    std::map<std::uint32_t, Job> jobs_;
};

} // namespace mscale::daemon
