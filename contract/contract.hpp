#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/cpu_set.hpp"
#include "hal/pci_address.hpp"

/// The statement of a job: plain data.  An empty optional is a clause that was not given: not promised and not touched.
namespace mscale::contract {

/// Roles of all workers of a node together: no more are planned, since slurmctld stands still while a verdict is made.
inline constexpr std::size_t most_roles = 1024;

/// A number of cores, or exact logical CPUs.
using Cores = std::variant<unsigned, CpuSet>;

/// What a role lies near: a kind of device of its worker, or a NUMA node.
struct Near {
    enum class To { gpu, nic, disk, numa } to = To::gpu;
    unsigned numa = 0; ///< for To::numa
    bool operator==(const Near&) const = default;
};

struct HugePages {
    std::uint64_t page_bytes = 0;
    std::uint64_t count = 0;
    bool operator==(const HugePages&) const = default;
};

/// A PCI address as lspci writes it without -D, "1b:00.0": good only where one device of the machine has it.
struct ShortPciAddress {
    std::uint8_t bus = 0, device = 0, function = 0;
    bool operator==(const ShortPciAddress&) const = default;
};

/// A GPU by NVML index or by PCI address.
using GpuName = std::variant<unsigned, hal::PciAddress, ShortPciAddress>;

/// A part of the program with its own place.  Holds for each worker.
struct Role {
    std::optional<Cores> cores;
    std::optional<Near> near;
    std::optional<HugePages> hugepages;
    std::optional<std::string> disk; ///< "nvme", "any", or a namespace's name
    std::optional<unsigned> io_depth;
    std::optional<unsigned> disk_queues; ///< hardware queues whose CPUs the role's cores cover
    std::optional<GpuName> gpu;
    std::optional<std::string>
        pcie_domain; ///< "0000:81", or "gpu": the same root complex as the worker's GPU, disk included
    std::optional<std::string> isa, frequency, write_cache;
    std::optional<std::uint64_t> read_limit, write_limit; ///< bytes a second
    std::optional<unsigned> io_weight;
    bool operator==(const Role&) const = default;
};

/// True when the role has a disk of its own, by name or by what it lies near.
inline bool needs_disk(const Role& role)
{
    return role.disk || (role.near && role.near->to == Near::To::disk);
}

/// What each worker holds of a GPU.
struct GpuClause {
    std::optional<std::string> model;
    std::optional<unsigned> sm;
    std::optional<std::string> sm_mode; ///< exclusive (default), soft
    std::optional<std::uint64_t> memory;
    std::optional<std::string> memory_mode;  ///< hard, process
    std::optional<std::string> fault_domain; ///< shared, private
    std::optional<std::string> share;        ///< "whole", "1/4", "25%"
    std::vector<std::string> needs;
    bool operator==(const GpuClause&) const = default;
};

struct Rdma {
    std::vector<std::string> ports; ///< "mlx5_0:1", exact
    bool near_gpu = false;          ///< port = near gpu
    std::optional<HugePages> pool;
    std::optional<unsigned> credit_window, retry_count, queue_pairs, rate_min_gbps;
    std::optional<std::string> gid;
    std::optional<unsigned> timeout;
    bool operator==(const Rdma&) const = default;
};

/// Fault tolerance.
struct Ft {
    std::optional<std::uint64_t> every_steps;
    std::optional<std::chrono::milliseconds> every_time;
    std::optional<unsigned> copies, spares, spill_every;
    std::optional<std::uint64_t> state; ///< bytes of each rank
    std::optional<std::chrono::milliseconds> step_time, detect, first_save;
    std::optional<std::string> spill, redundancy;
    std::optional<std::uint64_t> resume; ///< job id
    bool operator==(const Ft&) const = default;
};

/// ft.first_save where the contract doesn't give it.
inline constexpr std::chrono::milliseconds default_first_save{600000};

/// ft.detect: three beats must fit into it, on nodes that are at work.
inline constexpr std::chrono::milliseconds least_detect{150}, greatest_detect{3600000};

/// True when the job keeps snapshots: any clause of [ft] says so.
inline bool keeps_snapshots(const Ft& ft)
{
    return ft != Ft{};
}

enum class OnBreach { fail, requeue, warn };

struct Contract {
    std::optional<std::string> profile; ///< only while a text is read: its clauses stand in the fields below
    std::optional<unsigned>
        workers;                  ///< workers that one task per node starts; empty: one worker per Slurm task
    std::optional<bool> per_node; ///< per = node: absolute core sets hold for the node, not for each worker
    std::optional<bool> strict;   ///< default yes
    GpuClause gpu;
    std::map<std::string, Role> roles;
    Rdma rdma;
    Ft ft;
    std::optional<std::string> trace_level;
    std::optional<OnBreach> on_breach; ///< default fail
    bool operator==(const Contract&) const = default;
};

} // namespace mscale::contract
