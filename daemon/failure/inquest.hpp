#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "contract/site.hpp"
#include "daemon/failure/hearing.hpp"
#include "daemon/failure/node_down.hpp"
#include "daemon/failure/vote_round.hpp"
#include "daemon/failure/voter.hpp"

namespace mscale::daemon {

/// A run of a job whose nodes are watched.
struct WatchedJob {
    JobRun run;
    std::vector<std::string> nodes; ///< of the allocation, in Slurm's order
    recovery::Timing timing;
};

/// Settles whether the silent nodes of one run are dead, and sets them DOWN where the site allows it.  Lives on the loop.
///
///   silent for detect less vote      the first of its listeners asks the others and the mscaled beside slurmctld, who answer
///                                    when it is silent for detect; the second only when nothing came of it, and so on
///   no majority, or it answers       left alone; asked again after a pause that doubles up to ten seconds
///   agreed                           the job's nodes are told, then slurmctld, then the nodes what became of it
class Inquest : public std::enable_shared_from_this<Inquest> {
public:
    using Bury = std::function<Result<DownOutcome>(const Burial&, const contract::Site&)>;
    struct Parts {
        Loop& loop;
        const contract::Site& site;
        const PeerNetwork& network;
        Voter& voter;
        Worker& slurm; ///< a thread that may wait for slurmctld
        Bury bury;     ///< set_down, on that thread
    };
    Inquest(const Parts& parts, const WatchedJob& job, std::shared_ptr<Hearing> hearing)
        : parts_(parts), job_(job), hearing_(std::move(hearing))
    {
    }

    /// Called often: begins what is due.
    void look();
    /// The job has left this node: nothing is done any more.
    void end() { ended_ = true; }

private:
    using Time = recovery::Detector::Time;
    /// A node that is silent now.
    struct Doubt {
        Time next;                               ///< not asked before
        std::chrono::milliseconds last_heard{0}; ///< of the silence
        std::chrono::milliseconds pause{0};
        bool asking = false;
        bool told = false; ///< that it is left alone
    };
    struct Round {
        std::string suspect;
        VoteRound votes;
        std::vector<std::string> answered_to; ///< voters that the suspect answered
        bool late = false; ///< whoever answers has done so: what is certain is no longer waited with
        bool concluded = false;
    };

    Doubt make_doubt(const std::string& suspect, const std::vector<std::string>& suspects, Time now) const;
    void forget_heard();
    std::chrono::milliseconds probe_limit() const;
    void ask(const std::string& suspect);
    std::vector<std::string> voters_on(const std::string& suspect) const;
    void ask_voter(const std::shared_ptr<Round>& round, const std::string& voter);
    void take(const std::shared_ptr<Round>& round, const std::string& voter, const Result<Ballot>& ballot);
    void conclude_if_certain(Round& round);
    void conclude(Round& round);
    void leave_alone(const Round& round, const recovery::DeathVerdict& verdict);
    void agree(const Round& round, const recovery::DeathVerdict& verdict);
    void bury(DeadNode dead, const Burial& burial, unsigned attempts);
    void finish(DeadNode dead, const DownOutcome& outcome);
    void tell(const DeadNode& dead) const;

    Parts parts_;
    WatchedJob job_;
    std::shared_ptr<Hearing> hearing_;
    std::map<std::string, Doubt> doubts_;
    bool ended_ = false;
};

} // namespace mscale::daemon
