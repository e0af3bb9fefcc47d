#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "contract/site.hpp"
#include "daemon/mscaled/worker.hpp"
#include "hal/gpu_events.hpp"

namespace mscale::daemon {

/// Hears of GPUs that fail, by NVML, as long as a job of this node has one: otherwise nothing of the driver is open, so that an
/// administrator can reset a GPU.  Lives on the loop; NVML is waited for on a thread of its own.
class GpuWatch {
public:
    using Failed = std::function<void(const hal::GpuFailure& failure)>;
    GpuWatch(Loop& loop, const contract::Site& site, Failed failed)
        : loop_(loop), site_(site), failed_(std::move(failed)), driver_(loop)
    {
    }

    /// Begins to listen, or ends.
    void follow(bool wanted);

private:
    using Heard = std::vector<hal::GpuFailure>;
    void listen();
    void go_on(bool is_open);
    void on_heard(const Result<Heard>& heard);

    Loop& loop_;
    const contract::Site& site_;
    Failed failed_;
    bool wanted_ = false, listens_ = false, is_told_ = false;
    std::optional<hal::GpuEvents> events_; // of the thread `driver_` only
    Worker driver_;
};

} // namespace mscale::daemon
