#include "daemon/mscaled/cluster.hpp"

#include <algorithm>

#include <unistd.h>

#include "base/log.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::seconds retry{2};

std::string short_host_name()
{
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    const std::string whole(name);
    return whole.substr(0, whole.find('.'));
}

} // namespace

Cluster::Cluster(Loop& loop, Worker& slurm, AddressBook& addresses, std::string self,
                 std::function<std::string()> domains)
    : loop_(loop), slurm_(slurm), addresses_(addresses), self_(std::move(self)), domains_setting_(std::move(domains))
{
}

void Cluster::refresh(std::function<void()> done)
{
    waiting_.push_back(std::move(done));
    if (busy_) return;
    busy_ = true;
    slurm_.run<Result<Answer>>(
        [host = short_host_name(), domains = domains_setting_()]() -> Result<Answer> {
            auto table = load_nodes(host);
            if (!table) return tl::unexpected(std::move(table.error()));
            auto controllers = load_controllers(host, *table);
            if (!controllers) return tl::unexpected(std::move(controllers.error()));
            return Answer{std::move(*table), std::move(*controllers), load_domains(domains),
                          load_kill_wait()};
        },
        [this](Result<Answer> answer) { take(std::move(answer)); });
}

void Cluster::take(Result<Answer> answer)
{
    busy_ = false;
    if (!answer) return retry_first(answer.error());
    table_ = std::move(answer->table);
    controllers_ = std::move(answer->controllers);
    if (answer->kill_wait) kill_wait_ = *answer->kill_wait;
    if (answer->domains)
        domains_ = std::move(*answer->domains);
    else
        log_error("the failure domains stay as they were", answer->domains.error());
    const auto here = std::ranges::find(controllers_, true, &ControllerHost::is_here);
    if (here != controllers_.end()) controller_ = here->name;
    if (self_.empty()) self_ = table_.self;
    std::vector<std::function<void()>> waiting;
    waiting.swap(waiting_);
    for (const auto& done : waiting) done();
}

void Cluster::retry_first(const Error& error)
{
    log_error("the nodes of the cluster", error);
    if (table_.nodes.empty())
        loop_.after(retry, [this] { refresh([] {}); });
    else
        waiting_.clear();
}

std::vector<std::string> Cluster::nodes() const
{
    std::vector<std::string> names;
    for (const auto& [name, host] : table_.nodes) names.push_back(name);
    return names;
}

std::vector<std::string> Cluster::controllers() const
{
    std::vector<std::string> names;
    for (const ControllerHost& controller : controllers_) names.push_back(controller.name);
    return names;
}

unsigned Cluster::slurmd_port(const std::string& node) const
{
    const auto found = table_.slurmd_ports.find(node);
    return found == table_.slurmd_ports.end() ? 0 : found->second;
}

std::string Cluster::domain_of(const std::string& node) const
{
    const auto found = domains_.find(node);
    return found == domains_.end() ? std::string() : found->second;
}

void Cluster::locate(const std::string& node, AddressBook::Located located)
{
    const auto found = table_.nodes.find(node);
    if (found != table_.nodes.end()) return addresses_.locate(found->second, std::move(located));
    const auto controller = std::ranges::find(controllers_, node, &ControllerHost::name);
    if (controller != controllers_.end()) return addresses_.locate(controller->address, std::move(located));
    located(failure(Code::peer, format("slurmctld has no node {}", printable(node))));
}

} // namespace mscale::daemon
