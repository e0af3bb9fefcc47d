#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "daemon/failure/job_view.hpp"
#include "daemon/mscaled/jobs.hpp"
#include "daemon/mscaled/loop.hpp"
#include "daemon/mscaled/slurm_nodes.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// What is done on this node about a dead host; what is called may wait.
struct StepdActs {
    /// How many connections of the job's slurmstepd to the host were ended.
    std::function<Result<unsigned>(std::uint32_t job_id, const NodeAddress& host)> end_connections;
    std::function<Result<void>(const LocalJob& job, const std::string& address)> lease_route;
    std::function<Result<void>(const std::string& address)> remove_route;
    std::function<Result<std::vector<std::string>>()> list_routes;
    std::function<Result<bool>(const std::string& node)> is_down;
};
/// Those of this machine; ledgers lie below `site`'s state directory.
StepdActs make_stepd_acts(const contract::Site& site);

/// Frees the slurmstepd of this node's jobs that wait for a dead batch host, as [recovery] end_wait says.  Lives on the loop.
///
///   batch host agreed dead, set DOWN by mscale    its address is found, then
///     tasks    the connections of the job's slurmstepd to it are ended again and again, until the job has left the node
///     route    an unreachable route to it is leased in the job's ledger; it goes with the job's release, when the host isn't
///              DOWN any more, or after a minute
class WaitingStepds {
public:
    /// What it asks of the other parts of the daemon.
    struct View {
        std::function<std::optional<JobView>(std::uint32_t job_id)> job;
        std::function<void(const std::string& node, const std::function<void(Result<NodeAddress>)>&)> locate;
    };

    /// Takes over the routes that an earlier daemon left.
    WaitingStepds(Loop& loop, const contract::Site& site, const Jobs& jobs, View view, StepdActs acts);

private:
    using Clock = std::chrono::steady_clock;
    struct Wait {
        std::uint32_t job_id = 0;
        contract::Run run;
        std::string host;
        NodeAddress address;
        Clock::time_point until;
        unsigned ended = 0; ///< connections
    };
    struct Route {
        std::uint32_t job_id = 0; ///< 0 where an earlier daemon leased it
        std::string host;
        Clock::time_point until;
    };

    void look();
    void look_at(const LocalJob& job);
    void begin(const std::shared_ptr<Wait>& wait);
    void end_connections(const std::shared_ptr<Wait>& wait);
    void go_on(const std::shared_ptr<Wait>& wait, const Result<unsigned>& ended);
    void lease(const Wait& wait);
    void check_routes();
    void remove(std::string address);
    bool is_current(const Wait& wait) const;

    Loop& loop_;
    const contract::Site& site_;
    const Jobs& jobs_;
    View view_;
    StepdActs acts_;
    Worker worker_;
    std::map<std::uint32_t, contract::Run> seen_; // runs whose batch host was dealt with, by job
    std::map<std::string, Route> routes_;         // by address
};

} // namespace mscale::daemon
