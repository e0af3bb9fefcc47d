#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "base/json_forward.hpp"
#include "contract/allocation.hpp"
#include "contract/contract.hpp"
#include "hal/machine.hpp"

namespace mscale::contract {

/// Pages of one size on one NUMA node.
struct PagePlan {
    std::uint64_t page_bytes = 0;
    std::uint64_t count = 0;
    unsigned numa = 0;
    bool operator==(const PagePlan&) const = default;
};

struct RolePlan {
    std::string name;
    CpuSet cpus;
    std::optional<unsigned> numa;
    std::optional<PagePlan> pages;
    std::string disk; ///< name and serial for people: "nvme2n1 (S4X…)"; "" none
    std::optional<unsigned> io_depth; ///< requests in flight that the contract asks of that disk
    std::optional<unsigned> gpu;
    std::string gpu_pci; ///< of that GPU, since an index is another one's after a card is gone; "" none
    bool operator==(const RolePlan&) const = default;
};

/// The places of one worker.
struct WorkerPlan {
    unsigned index = 0; ///< on this node
    std::optional<unsigned> gpu;
    std::string gpu_pci;
    unsigned sms = 0;    ///< rounded up to chunks
    unsigned chunks = 0;
    CpuSet main;         ///< of the task itself: its share less its roles' cores, or its whole share when nothing is left;
                         ///< empty when no role has cores: then Slurm's own binding stands
    std::vector<RolePlan> roles;
    bool operator==(const WorkerPlan&) const = default;
};

/// What one node will hold for a job.
struct Plan {
    std::vector<WorkerPlan> workers;
    std::vector<PagePlan> pages; ///< totals of the node: roles and the RDMA pool, summed by size and NUMA node
    std::vector<std::string> ports;
    unsigned cores_per_worker = 0; ///< of all roles of a worker: what -c must be at least, in cores; 0 none
    unsigned chunks = 0;           ///< gres/sm of the node
    std::vector<std::string> unenforced; ///< clauses placed but not enforced by this build
    std::vector<std::string> notes;      ///< rounding, growing of pages, warnings of a lenient contract
    bool operator==(const Plan&) const = default;
};

Json to_json(const Plan& plan);
Result<Plan> plan_from_json(const Json& json, const std::string& what);

/// The machine with the contract in it, as text.
std::string draw_plan(const Plan& plan, const hal::Machine& machine, unsigned columns);

} // namespace mscale::contract
