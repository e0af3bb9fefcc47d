#pragma once

#include <cstddef>

/// The part of NVML's binary interface that mscale uses, declared anew: the library is loaded at run time and
/// its header isn't needed to build.  Source: NVIDIA's NVML API reference.
namespace mscale::hal::nvml {

using Return = int; ///< 0: success
using Device = void*;

constexpr std::size_t name_size = 96;
constexpr std::size_t uuid_size = 96;
constexpr std::size_t version_size = 80;
constexpr unsigned scope_node = 0; ///< NVML_AFFINITY_SCOPE_NODE

struct PciInfo {
    char bus_id_legacy[16];
    unsigned domain, bus, device;
    unsigned pci_device_id; ///< device id in the upper, vendor in the lower half
    unsigned pci_subsystem_id;
    char bus_id[32]; ///< "00000000:1B:00.0"
};

struct Memory {
    unsigned long long total, free, used;
};

} // namespace mscale::hal::nvml
