#pragma once

#include <cstdint>
#include <functional>

#include "contract/site.hpp"
#include "daemon/mscaled/jobs.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// Finds the way back of each part that a job has lost, and has it told.  Lives on the loop; the machine is read by `worker`.
class WaysBack {
public:
    using Told = std::function<void(std::uint32_t job_id)>;
    WaysBack(const contract::Site& site, Jobs& jobs, Worker& worker, Told told)
        : site_(site), jobs_(jobs), worker_(worker), told_(std::move(told))
    {
    }

    /// The part is gone for certain.
    void on_gone(std::uint32_t job_id, const PartFinding& gone);

private:
    void decide(std::uint32_t job_id, const PartFinding& gone, const std::string& other);

    const contract::Site& site_;
    Jobs& jobs_;
    Worker& worker_;
    Told told_;
};

} // namespace mscale::daemon
