#include "daemon/mscaled/cluster.hpp"

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

Cluster::Cluster(Loop& loop, Worker& slurm, AddressBook& addresses, std::string self)
    : loop_(loop), slurm_(slurm), addresses_(addresses), self_(std::move(self))
{
}

void Cluster::refresh(std::function<void()> done)
{
    waiting_.push_back(std::move(done));
    if (busy_) return;
    busy_ = true;
    slurm_.run<Result<NodeTable>>([host = short_host_name()] { return load_nodes(host); },
                                  [this](Result<NodeTable> table) { take(std::move(table)); });
}

void Cluster::take(Result<NodeTable> table)
{
    busy_ = false;
    if (!table) return retry_first(table.error());
    table_ = std::move(*table);
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

void Cluster::locate(const std::string& node, AddressBook::Located located)
{
    const auto found = table_.nodes.find(node);
    if (found == table_.nodes.end())
        return located(failure(Code::peer, format("slurmctld has no node {}", printable(node))));
    addresses_.locate(found->second, std::move(located));
}

} // namespace mscale::daemon
