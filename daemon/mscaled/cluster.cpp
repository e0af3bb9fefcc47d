#include "daemon/mscaled/cluster.hpp"

#include <unistd.h>

#include "base/log.hpp"

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

Cluster::Cluster(Loop& loop, Worker& slurm, unsigned port, std::string self)
    : loop_(loop), slurm_(slurm), port_(port), self_(std::move(self))
{
}

void Cluster::refresh(std::function<void()> done)
{
    slurm_.run<Result<NodeTable>>([host = short_host_name(), port = port_] { return load_nodes(host, port); },
                                  [this, done = std::move(done)](Result<NodeTable> table) {
                                      if (!table) return retry_first(table.error(), done);
                                      table_ = std::move(*table);
                                      if (self_.empty()) self_ = table_.self;
                                      done();
                                  });
}

void Cluster::retry_first(const Error& error, std::function<void()> done)
{
    log_error("the nodes of the cluster", error);
    if (table_.nodes.empty()) loop_.after(retry, [this, done = std::move(done)] { refresh(done); });
}

const NodeAddress* Cluster::find(const std::string& node) const
{
    const auto found = table_.nodes.find(node);
    return found == table_.nodes.end() ? nullptr : &found->second;
}

} // namespace mscale::daemon
