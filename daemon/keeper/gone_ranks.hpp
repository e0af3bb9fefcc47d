#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/handle.hpp"
#include "base/json_forward.hpp"
#include "daemon/keeper/keepers.hpp"
#include "daemon/mscaled/loop.hpp"
#include "recovery/slot.hpp"

namespace mscale::daemon {

/// Why a keeper lets a rank not begin; another run would be refused, too.
struct Refusal {
    Code code = Code::no_snapshot;
    std::string text, cure;
    bool operator==(const Refusal&) const = default;
};

/// The ranks that a job's newest run has lost while its nodes live, as a node knows it.
struct GoneRanks {
    recovery::Incarnation run;
    std::set<std::uint32_t> ranks;
    std::uint32_t status = 0;    ///< the exit status that the first of them told; 0: none did, they were killed
    std::set<std::string> ended; ///< the nodes that have ended the run's other ranks since
    std::set<std::uint32_t> done = {}; ///< ranks that have left and whose tasks have ended since: none of those that are lost
    std::optional<Refusal> refusal = {}; ///< the first of this run
    bool operator==(const GoneRanks&) const = default;
};

/// Notices that a rank is gone, tells it to all nodes of the job, and ends the others when `mscale run` wants it: they take
/// SIGTERM for a notice, and Slurm kills them no sooner than after KillWait.  Lives on the loop of every node.
///
///   a program ended without a word    wait    its task ends, too: a launcher in it may begin another
///   the task has ended                gone        -> all keepers; done where the program had left before
///   a rank is refused                 refused     -> all keepers
///   `mscale run` goes on              end_ranks   -> all keepers -> SIGKILL to the run's programs
class GoneWatch {
public:
    /// Kills the programs of the run on this node.
    using Kill = std::function<void(std::uint32_t job_id, const recovery::Incarnation& run)>;

    GoneWatch(Loop& loop, Keepers& keepers, Kill kill) : loop_(loop), keepers_(keepers), kill_(std::move(kill)) {}
    ~GoneWatch();

    /// True for the operations of other keepers.
    static bool knows(const std::string& op);
    void answer(const std::string& op, const Json& body, const Keepers::Answer& answer);

    /// A rank's program has ended without saying that it is done; `task` is a pidfd of the Slurm task that it was in, `status`
    /// the exit status that it told, or 0.
    void wait(const recovery::Owner& owner, Fd task, std::uint32_t status) { wait({owner, std::move(task), status, false}); }
    /// The same of one that has left.
    void wait_for_end(const recovery::Owner& owner, Fd task) { wait({owner, std::move(task), 0, true}); }
    /// The rank is back: its connection alone was lost.
    void stop_waiting(const recovery::Owner& owner);
    /// A rank is refused: all nodes of the job hear of it, unless a restart may cure it.
    void refuse(const recovery::Owner& owner, const Error& error);
    /// Ends what is left of the run, on all nodes.
    void end_ranks(std::uint32_t job_id, const recovery::Incarnation& run);
    /// Nothing where no rank of the job's newest run is gone, done or refused.
    std::optional<GoneRanks> find(std::uint32_t job_id) const;
    void forget(std::uint32_t job_id);

private:
    struct Waiting {
        recovery::Owner owner;
        Fd task;
        std::uint32_t status = 0;
        bool has_left = false;
    };
    using Key = std::pair<std::uint32_t, std::uint32_t>; // job, rank

    void wait(Waiting waiting);
    void drop(const Key& key);
    void on_task_end(const Key& key);
    GoneRanks* page_of(std::uint32_t job_id, const recovery::Incarnation& run);

    Loop& loop_;
    Keepers& keepers_;
    Kill kill_;
    std::map<Key, Waiting> waiting_;
    std::map<std::uint32_t, GoneRanks> jobs_;
};

} // namespace mscale::daemon
