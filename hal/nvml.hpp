#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "base/error.hpp"
#include "hal/pci_address.hpp"

namespace mscale::hal {

/// What NVML says of one GPU; what it didn't answer is empty or 0.
struct NvmlGpu {
    unsigned index = 0;
    PciAddress pci;
    std::string uuid, model;
    std::optional<unsigned> minor;
    unsigned cuda_cores = 0;
    std::uint64_t memory_bytes = 0;
    std::string compute_capability; ///< "9.0"
    bool mig = false;
    std::optional<unsigned> memory_node; ///< the one NUMA node near the GPU, when NVML names exactly one
    CpuSet cpus;                         ///< the CPUs near the GPU
};

struct NvmlReading {
    std::string library;             ///< the path that was really loaded
    std::string driver_version;      ///< as the library spells it
    std::vector<NvmlGpu> gpus;       ///< in NVML's order
    std::vector<std::string> faults; ///< GPUs that were left out, and why
};

/// Loads the library by dlopen ("" : libnvidia-ml.so.1), asks and unloads it.
Result<NvmlReading> read_nvml(const std::string& library);

} // namespace mscale::hal
