#pragma once

#include <memory>
#include <string>

#include "contract/site.hpp"
#include "daemon/mscaled/directory_notice.hpp"
#include "daemon/mscaled/drain.hpp"
#include "daemon/mscaled/local_socket.hpp"
#include "daemon/mscaled/reconcile.hpp"
#include "daemon/mscaled/status_service.hpp"

namespace mscale::daemon {

/// How the program was called.
struct Options {
    std::string config = MSCALE_SYSCONFDIR "/mscale.conf";
    std::string node;    ///< this node's name in Slurm, "" to look it up by host name
    std::string program; ///< path of this program
};

/// mscaled: the parts and who tells whom.  Everything it knows is rebuilt from the ledgers, so it may die at
/// any point.
class Daemon {
public:
    static Result<std::unique_ptr<Daemon>> create(contract::Site site, const Options& options);

    /// Runs until SIGTERM or SIGINT.
    Result<void> run();

    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;

private:
    struct Sockets {
        Fd local, tcp, signals;
    };
    Daemon(contract::Site site, const Options& options, std::unique_ptr<Loop> loop, Sockets sockets,
           DirectoryNotice notice);

    void start();
    void refresh();
    void report_all();
    void report(const LocalJob& job);
    void look();
    void watch_signals();
    void on_lost(const LostStep& step);
    void on_unprepared(const JobFacts& facts);

    void handle_local(const Asker& asker, const Json& request, const LocalSocket::Answer& answer);
    void handle_peer(const Request& request, const Peers::Answer& answer);
    Json register_role(const Asker& asker, const Json& request);
    Json take_report(const Json& body);
    Json give_report(const Json& body) const;

    contract::Site site_;
    std::unique_ptr<Loop> loop_;
    Fd signals_;
    DirectoryNotice notice_;
    Worker slurm_, munge_, node_;
    Jobs jobs_;
    Cluster cluster_;
    Peers peers_;
    StateWriter states_;
    StatusService status_;
    Reconcile reconcile_;
    Drain drain_;
    LocalSocket local_;
};

} // namespace mscale::daemon
