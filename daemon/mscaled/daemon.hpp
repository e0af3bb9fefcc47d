#pragma once

#include <memory>
#include <string>

#include "contract/site.hpp"
#include "daemon/failure/failure.hpp"
#include "daemon/keeper/keeper.hpp"
#include "daemon/mscaled/directory_notice.hpp"
#include "daemon/mscaled/drain.hpp"
#include "daemon/mscaled/gpu_watch.hpp"
#include "daemon/mscaled/local_socket.hpp"
#include "daemon/mscaled/reconcile.hpp"
#include "daemon/mscaled/restart_counts.hpp"
#include "daemon/mscaled/run_relay.hpp"
#include "daemon/mscaled/run_service.hpp"
#include "daemon/mscaled/site_file.hpp"
#include "daemon/mscaled/status_service.hpp"
#include "daemon/mscaled/ways_back.hpp"
#include "daemon/requeue/departed_jobs.hpp"
#include "daemon/requeue/preemptions.hpp"
#include "daemon/requeue/returns.hpp"
#include "daemon/requeue/set_up_again.hpp"
#include "daemon/requeue/waiting_stepds.hpp"

namespace mscale::daemon {

/// How the program was called.
struct Options {
    std::string config = MSCALE_SYSCONFDIR "/mscale.conf";
    std::string node;    ///< this node's name in Slurm, "" to look it up by host name
    std::string program; ///< path of this program
};

/// mscaled: the parts and who tells whom.  Everything it knows is rebuilt from the ledgers, so it may die at
/// any point.
///
///   wakes on                what happens                                            where
///   ledger directory        ledgers are read, changed jobs reported                 DirectoryNotice, Jobs, RestartCounts
///   watch_interval          processes, pages and devices against the promise        Jobs (watch, findings, PartBook)
///   an event of NVML        the GPU is a lost device of its jobs                    GpuWatch
///   a device is gone        what takes its place is sought, and told                WaysBack (part_loss, part_search)
///   reconcile_interval      mscale.conf, nodes, ledgers against slurmctld, drain    SiteFile, Cluster, Reconcile, Drain
///   report of any node      to the job's writer; there judged and posted            StateWriter (ContractState), Posts
///   local socket            status, register                                        LocalSocket, requests, StatusService
///   local socket            run: what `mscale run` polls                            RunService
///   TCP                     report, ask, status of other daemons                    Listener, Peers, requests
///   snapshots               kept, copied, committed, given back                     Keeper (daemon/keeper)
///   a job leaves            what is kept of it stays while it may run again         DepartedJobs (daemon/requeue)
///   beats of other nodes    silence, votes, a dead node set DOWN                    Failure (daemon/failure)
///   a node is dead          its job is requeued and begins at once                  Returns (daemon/requeue)
///   a preempted job saved   it is requeued, else it would be done for Slurm         Preemptions (daemon/requeue)
///   a batch host is DOWN    who waits for it here is freed                          WaitingStepds (daemon/requeue)
///   SIGHUP, SIGTERM         mscale.conf again; the end                              Daemon
///
/// All of that runs on one thread, the Loop, which never waits.  What waits has a Worker, a thread with a queue:
///
///   slurm_      what the daemon tells slurmctld and must know of it (Cluster, Reconcile, Posts, Drain,
///               RestartCounts, DepartedJobs)
///   questions_  what users ask of slurmctld (StatusService); bounded
///   names_      the name service (AddressBook)
///   munge_      credentials of our own calls and answers (Peers)
///   strangers_  credentials that came in (Peers); bounded
///   node_       mscale-node release (Reconcile), mscale-node again (SetUpAgain)
///
/// Beside slurmctld, on a host that is no node, it only votes on the death of nodes (Failure).
class Daemon {
public:
    static Result<std::unique_ptr<Daemon>> create(contract::Site site, const Options& options);

    /// Runs until SIGTERM or SIGINT.
    Result<void> run();

    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;

private:
    struct Sockets {
        Fd local, tcp, signals, beats;
        Keeper::Sockets keeper;
    };
    Daemon(contract::Site site, const Options& options, std::unique_ptr<Loop> loop, Sockets sockets,
           DirectoryNotice notice);

    Keepers::Network keeper_network();
    RunService::Sources run_sources();
    Returns::View returns_view();
    Preemptions::View preemptions_view();
    WaitingStepds::View waiting_view();
    PeerNetwork peer_network();
    /// Finds a node's address and puts a port in place of the daemon's own.
    void locate(const std::string& node, unsigned port, const PeerNetwork::Located& located);
    void start();
    void check_all();
    void read_site_again(bool forced);
    void refresh();
    void refresh_user(uid_t uid);
    void apply(const Jobs::Changes& changes);
    void report_all();
    void report(std::uint32_t job_id);
    void report(const LocalJob& job);
    std::vector<LostPart> list_lost(const LocalJob& job) const;
    Report make_report_of(const LocalJob& job) const;
    void look();
    void watch_signals();
    void on_lost(const LostStep& step);
    void on_gpu_failure(const hal::GpuFailure& failure);
    void on_unprepared(const JobFacts& facts);

    void handle_local(const Asker& asker, const Json& request, const LocalSocket::Answer& answer);
    void handle_peer(const Request& request, const Peers::Answer& answer);
    Json list_domains() const;
    Json register_role(const Asker& asker, const Json& request);
    Json take_report(const Json& body);
    Json give_report(const Json& body);

    contract::Site site_; // the parts below see each change of it
    SiteFile site_file_;
    std::unique_ptr<Loop> loop_;
    Fd signals_;
    DirectoryNotice notice_;
    Worker slurm_, questions_, names_, munge_, strangers_, node_;
    Jobs jobs_;
    RestartCounts restarts_;
    AddressBook addresses_;
    Cluster cluster_;
    Peers peers_;
    StateWriter states_;
    StatusService status_;
    RunRelay run_relay_;
    Reconcile reconcile_;
    Drain drain_;
    SetUpAgain again_;
    LocalSocket local_;
    Keeper keeper_;
    Failure failure_;
    RunService run_;
    DepartedJobs departed_;
    Returns returns_;
    Preemptions preemptions_;
    WaitingStepds waiting_;
    WaysBack ways_back_;
    GpuWatch gpus_;
};

} // namespace mscale::daemon
