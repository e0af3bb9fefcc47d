#include "daemon/requeue/waiting_stepds.hpp"

#include <algorithm>
#include <array>

#include <arpa/inet.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/failure/node_down.hpp"
#include "daemon/requeue/stepd_wait.hpp"
#include "slicing/dead_route.hpp"
#include "slicing/route_lease.hpp"

namespace mscale::daemon {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds stepd_interval = 100ms, kill_interval = 25ms, route_interval = 2s;
constexpr std::chrono::milliseconds ledger_deadline = 2s;
constexpr std::chrono::seconds stepd_patience = 60s; // a wait for a dead host is over by itself after some 15 s

/// The host on which Slurm runs the batch script, and with it srun; nothing while it isn't dead and set DOWN by mscale.
std::optional<std::string> find_dead_batch_host(const JobView& view)
{
    for (const DeadNode& dead : view.dead)
        if (!view.nodes.empty() && dead.node == view.nodes.front() && dead.down && dead.by_mscale) return dead.node;
    return std::nullopt;
}

std::string to_text(const NodeAddress& node)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(node.address);
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(node.address);
    const bool is_v6 = node.address.ss_family == AF_INET6;
    const void* const bytes = is_v6 ? static_cast<const void*>(&v6.sin6_addr) : &v4.sin_addr;
    return inet_ntop(node.address.ss_family, bytes, text.data(), text.size()) != nullptr ? text.data() : "";
}

} // namespace

StepdActs make_stepd_acts(const contract::Site& site)
{
    return {end_stepd_connections,
            [&site](const LocalJob& job, const std::string& address) -> Result<void> {
                const auto ledger = slicing::Ledger::open(contract::ledger_directory(site.state), job.record.job_id,
                                                          ledger_deadline);
                if (!ledger) return tl::unexpected(ledger.error());
                return slicing::lease_dead_route(*ledger, job.run, address);
            },
            slicing::remove_dead_route, slicing::list_dead_routes, is_node_down};
}

WaitingStepds::WaitingStepds(Loop& loop, const contract::Site& site, const Jobs& jobs, View view, StepdActs acts)
    : loop_(loop), site_(site), jobs_(jobs), view_(std::move(view)), acts_(std::move(acts)), worker_(loop)
{
    if (const auto left = acts_.list_routes())
        for (const std::string& address : *left) routes_[address] = {0, "", Clock::now() + stepd_patience};
    loop_.every(stepd_interval, [this] { look(); });
    loop_.every(route_interval, [this] { check_routes(); });
}

void WaitingStepds::look()
{
    std::erase_if(seen_, [this](const auto& entry) { return !jobs_.find(entry.first); });
    if (site_.end_wait == contract::EndWait::no) return;
    for (const auto& [job_id, job] : jobs_.all())
        if (job.keeps_snapshots && !job.record.observe) look_at(job);
}

void WaitingStepds::look_at(const LocalJob& job)
{
    const std::uint32_t job_id = job.record.job_id;
    const auto known = seen_.find(job_id);
    if (known != seen_.end() && known->second == job.run) return;
    const auto view = view_.job(job_id);
    const auto host = view ? find_dead_batch_host(*view) : std::nullopt;
    if (!host) return;
    seen_[job_id] = job.run;
    const auto wait = std::make_shared<Wait>(Wait{job_id, job.run, *host, {}, Clock::now() + stepd_patience, 0});
    view_.locate(*host, [this, wait](const Result<NodeAddress>& address) {
        if (!address) return log_error(format("job {}: the address of {}", wait->job_id, wait->host), address.error());
        wait->address = *address;
        begin(wait);
    });
}

void WaitingStepds::begin(const std::shared_ptr<Wait>& wait)
{
    if (site_.end_wait == contract::EndWait::tasks) end_connections(wait);
    if (site_.end_wait == contract::EndWait::route) lease(*wait);
}

bool WaitingStepds::is_current(const Wait& wait) const
{
    const LocalJob* job = jobs_.find(wait.job_id);
    return job && job->run == wait.run;
}

void WaitingStepds::end_connections(const std::shared_ptr<Wait>& wait)
{
    worker_.run<Result<unsigned>>(
        [act = acts_.end_connections, wait = *wait] { return act(wait.job_id, wait.address); },
        [this, wait](const Result<unsigned>& ended) { go_on(wait, ended); });
}

void WaitingStepds::go_on(const std::shared_ptr<Wait>& wait, const Result<unsigned>& ended)
{
    if (!ended) return log_error(format("job {}: ending the wait for {}", wait->job_id, wait->host), ended.error());
    wait->ended += *ended;
    if (is_current(*wait) && Clock::now() < wait->until)
        return void(loop_.after(kill_interval, [this, wait] { end_connections(wait); }));
    log_line(Level::info, format("job {}: {} connections of its slurmstepd to {}, which is dead, were ended", wait->job_id,
                                 wait->ended, wait->host));
}

void WaitingStepds::lease(const Wait& wait)
{
    const LocalJob* const job = jobs_.find(wait.job_id);
    const std::string address = to_text(wait.address);
    if (!job || !is_current(wait) || address.empty()) return;
    routes_[address] = {wait.job_id, wait.host, wait.until};
    worker_.run<Result<void>>([act = acts_.lease_route, job = *job, address] { return act(job, address); },
                              [wait, address](const Result<void>& leased) {
                                  if (!leased)
                                      return log_error(format("job {}: a route to {}", wait.job_id, address),
                                                       leased.error());
                                  log_line(Level::info, format("job {}: {} ({}), which is dead, is unreachable by a route",
                                                               wait.job_id, wait.host, address));
                              });
}

/// A route goes with its job's release.  This is for what else may come: the host is back, or the job stays.
void WaitingStepds::check_routes()
{
    for (const auto& [address, route] : routes_) {
        const bool has_left = route.job_id != 0 && !jobs_.find(route.job_id);
        if (has_left || Clock::now() >= route.until) return remove(address); // the next at the next look
        if (route.job_id == 0) continue;
        worker_.run<Result<bool>>([is_down = acts_.is_down, host = route.host] { return is_down(host); },
                                  [this, address = address](const Result<bool>& down) {
                                      if (down && !*down) remove(address);
                                  });
    }
}

void WaitingStepds::remove(std::string address) // by value: the map's own key may be given
{
    if (routes_.erase(address) == 0) return;
    worker_.run<Result<void>>([act = acts_.remove_route, address] { return act(address); },
                              [address](const Result<void>& removed) {
                                  if (!removed) log_error("the route to " + address, removed.error());
                              });
}

} // namespace mscale::daemon
