#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "contract/site.hpp"
#include "daemon/failure/job_view.hpp"
#include "daemon/failure/job_watch.hpp"
#include "daemon/mscaled/jobs.hpp"

namespace mscale::daemon {

/// Knows which nodes of this node's jobs are alive and how far their ranks are: the map of what causes what.  Lives on the
/// loop; slurmctld is waited for on threads of its own.
///
///   ledger of a job with [ft] on two nodes or more    its nodes are watched    JobWatch
///   timing.beat                                       a datagram to each listener (Beat, BeatSocket)
///   datagram of another node                          it is alive, its ranks' progress    Hearing
///   silence longer than ft.detect                     votes, agreement, DOWN    Inquest (VoteRound, policy, node_down)
///   beat_key of another daemon                        the key that proves this node's beats
///   vote of another daemon                            Voter; also where the job has no ledger, as beside slurmctld
///   dead of another daemon                            the job's nodes agree that a node is dead
class Failure {
public:
    /// The UDP port of beats.
    static Result<Fd> open_socket(const contract::Site& site) { return BeatSocket::open(site.recovery_port); }

    Failure(Loop& loop, const contract::Site& site, const Jobs& jobs, JobWatch::Progress progress,
            PeerNetwork network, Fd socket);

    /// The jobs of this node have changed.
    void follow();

    /// True for the operations of other daemons.
    static bool knows(const std::string& op);
    using Answer = std::function<void(const Json&)>;
    void answer(const std::string& op, const Json& body, const Answer& answer);

    /// Nothing for a job that has no ledger on this node.
    std::optional<JobView> view(std::uint32_t job_id) const;
    /// Whether the nodes of the job's run have agreed on it.
    bool is_dead(std::uint32_t job_id, const std::string& node) const;

private:
    /// A run of a job that was looked at; no watch where it needs none.
    struct Entry {
        contract::Run run;
        std::shared_ptr<JobWatch> watch;
    };
    bool is_current(std::uint32_t job_id, const contract::Run& run) const;
    std::shared_ptr<JobWatch> start_watch(const LocalJob& job);
    void take(std::string_view bytes);
    /// The watch that a request is about, or null.
    std::shared_ptr<JobWatch> find(const Json& body) const;
    void answer_vote(const Json& body, const Answer& answer);

    Loop& loop_;
    const contract::Site& site_;
    const Jobs& jobs_;
    JobWatch::Progress progress_;
    PeerNetwork network_;
    Worker pings_, burials_;
    Voter voter_;
    BeatSocket socket_;
    std::map<std::uint32_t, Entry> entries_; // by job
};

} // namespace mscale::daemon
