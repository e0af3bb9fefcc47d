#pragma once

#include <cstddef>

/// The part of NVML's binary interface that mscale uses, declared anew: the library is loaded at run time and
/// its header isn't needed to build.  Source: NVIDIA's NVML API reference.
namespace mscale::hal::nvml {

using Return = int; ///< 0: success
using Device = void*;
using EventSet = void*;

constexpr std::size_t name_size = 96;
constexpr std::size_t uuid_size = 96;
constexpr std::size_t version_size = 80;
constexpr unsigned scope_node = 0; ///< NVML_AFFINITY_SCOPE_NODE
constexpr Return timed_out = 10;   ///< NVML_ERROR_TIMEOUT
constexpr Return gpu_is_lost = 15; ///< NVML_ERROR_GPU_IS_LOST: off the bus, or not to be reached otherwise
constexpr unsigned long long xid_event = 0x8; ///< nvmlEventTypeXidCriticalError

struct PciInfo {
    char bus_id_legacy[16];
    unsigned domain, bus, device;
    unsigned pci_device_id; ///< device id in the upper, vendor in the lower half
    unsigned pci_subsystem_id;
    char bus_id[32]; ///< "00000000:1B:00.0"
};

struct EventData {
    Device device;
    unsigned long long type; ///< xid_event
    unsigned long long data; ///< the Xid
    unsigned gpu_instance, compute_instance;
};

struct Memory {
    unsigned long long total, free, used;
};

} // namespace mscale::hal::nvml
