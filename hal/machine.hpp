#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "hal/pci_address.hpp"

/// What a machine is: plain data, no library type, nothing that acts.
///
/// An empty optional means that the machine doesn't say; it is never replaced by a guess.
namespace mscale::hal {

/// Where a device lies.  `numa` is empty when unknown (numa_node = -1 and no second source), which is never
/// node 0.
struct Locality {
    std::optional<unsigned> numa;
    CpuSet cpus; ///< CPUs near the device; empty when unknown
    std::string
        pci_root; ///< root bus, "0000:16": devices with the same one share a PCIe domain; "" when unknown
    std::vector<PciAddress> bridges; ///< from the root port to the device's parent, for "same switch"
    std::string source;              ///< what said so: "sysfs", "nvml", "" when unknown
};

struct HugePagePool {
    std::uint64_t page_bytes = 0;
    std::uint64_t total = 0;
    std::uint64_t free = 0; ///< not in use and not reserved by a mount
    std::uint64_t surplus = 0;
    auto operator<=>(const HugePagePool&) const = default;
};

struct NumaNode {
    unsigned id = 0;
    CpuSet cpus; ///< empty for memory without CPUs (GPU memory of GH200, CXL)
    std::uint64_t memory_bytes = 0;
    std::uint64_t free_bytes = 0; ///< MemFree: what huge pages can grow into
    std::vector<HugePagePool> huge_pages;
    std::vector<unsigned> distances; ///< to node 0, 1, … as in sysfs
    std::uint64_t cache_bytes = 0;   ///< pages of files, which the kernel gives back where memory is short
};

/// A physical core.  Its position in Machine::cores is its abstract number in Slurm (sockets in order, cores
/// in order).
struct Core {
    unsigned id = 0; ///< topology/core_id, unique in the package only
    unsigned package = 0;
    std::optional<unsigned> numa; ///< empty when its CPUs lie in two nodes (see `spans_nodes`) or in none
    bool spans_nodes = false;
    CpuSet cpus; ///< itself and its SMT siblings, online ones
};

struct Gpu {
    unsigned index = 0;            ///< NVML's order (PCI order where there is no driver)
    std::optional<unsigned> minor; ///< /dev/nvidiaN
    std::string uuid;
    std::string model; ///< "NVIDIA H100 80GB HBM3"
    PciAddress pci;
    unsigned sms = 0;      ///< streaming multiprocessors; 0 unknown
    unsigned sm_chunk = 0; ///< the least slice, in SMs; 0: can't be sliced or unknown
    std::string sm_source; ///< "nvml", "architecture" (from the model's name)
    std::uint64_t memory_bytes = 0;
    std::string compute_capability;     ///< "9.0"; "" unknown
    std::vector<std::string> abilities; ///< "fp8", "nvlink", … sorted
    bool mig = false;
    Locality locality;
};

struct DiskQueue {
    unsigned id = 0;
    CpuSet cpus;
};

/// A whole visible block device with a namespace; hidden multipath legs are left out.
struct Disk {
    std::string name; ///< "nvme0n1": for people; identity is serial, eui and namespace
    std::string kind; ///< "nvme" or "other"
    std::string serial;
    std::string wwid; ///< EUI or NGUID
    std::optional<PciAddress> pci;
    unsigned nr_requests = 0; ///< depth of each queue; 0 unknown
    std::vector<DiskQueue> queues;
    unsigned queue_count = 0; ///< hardware I/O queues; 0 unknown
    bool rotational = false;
    bool zoned = false;
    std::optional<bool> write_cache;
    std::vector<std::string> partitions;
    Locality locality;
};

struct Gid {
    unsigned index = 0;
    std::string address, type, netdev;
};

struct RdmaPort {
    std::string device; ///< "mlx5_0", exact
    unsigned port = 1;
    std::string link_layer; ///< "InfiniBand" or "Ethernet"
    std::string state;      ///< "ACTIVE", "DOWN", …
    std::string phys_state; ///< "LinkUp", "Polling", …
    unsigned rate_gbps = 0;
    std::vector<Gid> gids;
    std::vector<std::string> netdevs; ///< network devices of the same PCI function
    std::optional<PciAddress> pci;
    Locality locality;
};

/// What the kernel can do.
struct Kernel {
    std::string release;
    unsigned cgroup_version = 0;                ///< 1, 2; 0 none found
    std::vector<std::uint64_t> huge_page_sizes; ///< bytes, ascending
    std::optional<unsigned> io_uring_disabled;  ///< the sysctl; empty: no such file
    bool btf = false;
    std::vector<std::string> cpu_flags; ///< ISA extensions of /proc/cpuinfo, sorted
};

struct Machine {
    std::string name;         ///< host name, or the name of the model
    std::string origin;       ///< "this system", "root /srv/tree", "file a.json"
    bool this_system = false; ///< nothing is ever bound to a machine that isn't
    std::vector<NumaNode> numa;
    std::vector<Core> cores;
    CpuSet online;
    CpuSet isolated;
    std::vector<Gpu> gpus;
    std::vector<Disk> disks;
    std::vector<RdmaPort> ports;
    Kernel kernel;
    std::vector<std::string>
        notes; ///< what the readers found odd, which source won, and what came from a double
};

} // namespace mscale::hal
