#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "contract/site.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// Has mscale-node set this node up for the run of a job that got no prolog here and no step yet, as a spare has none: the
/// job's writer would else take the node for silent.  Lives on the loop.
class SetUpAgain {
public:
    /// `config` is the path of mscale.conf, `node` the thread on which mscale-node is waited for.
    SetUpAgain(const contract::Site& site, std::string config, Worker& node)
        : site_(site), config_(std::move(config)), node_(node)
    {
    }

    /// Somebody asked for a job that has no ledger here.  Nothing happens where nothing of it is kept.
    void on_missing(std::uint32_t job_id);

private:
    const contract::Site& site_;
    std::string config_;
    Worker& node_;
    std::set<std::uint32_t> busy_;
};

/// How mscale-node is called for it.
std::vector<std::string> again_command(const std::string& program, const std::string& config,
                                       std::uint32_t job_id);

} // namespace mscale::daemon
