#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "hal/nvml_library.hpp"
#include "hal/pci_address.hpp"

namespace mscale::hal {

/// A GPU that has failed.
struct GpuFailure {
    PciAddress pci;
    std::string what; ///< "Xid 79", "off the bus"
    bool operator==(const GpuFailure&) const = default;
};

/// True for the Xids after which a GPU computes for nobody until it is reset or replaced: those whose immediate action is a reset
/// of the GPU or a restart of the machine in NVIDIA's Xid catalogue (docs.nvidia.com/deploy/xid-errors, as of October 2025, read
/// from a generated copy), and 48, an uncorrectable memory error, for which it has a workflow that may end so.  Without 156: a
/// retired resource is only exchanged at the next reset.  Others are a program's own fault (13, 31, 43, 45), or leave the GPU at
/// work.
bool is_fatal_xid(unsigned long long xid);

/// Hears by NVML of GPUs that fail.  For one thread.
class GpuEvents {
public:
    /// Begins to listen to all GPUs.  `library`: "" is the system's NVML.
    static Result<GpuEvents> open(const std::string& library);
    ~GpuEvents();
    GpuEvents(GpuEvents&& other) noexcept;
    GpuEvents& operator=(GpuEvents&&) = delete;

    /// Waits for a failure, at most for `limit`; then asks each GPU whether it is still on the bus.
    std::vector<GpuFailure> wait(std::chrono::milliseconds limit);

private:
    struct Functions;
    struct Watched {
        void* device = nullptr;
        PciAddress pci;
    };
    GpuEvents(NvmlLibrary library, const Functions& nvml);
    bool add_gpu(unsigned index);
    Result<void> add_gpus(const std::string& library);

    NvmlLibrary library_;
    std::unique_ptr<Functions> nvml_; // null once moved from
    void* events_ = nullptr;
    std::vector<Watched> gpus_;
};

} // namespace mscale::hal
