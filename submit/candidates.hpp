#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "hal/inventory.hpp"
#include "submit/job_request.hpp"

namespace mscale::submit {

/// Nodes of one class that a job may get.
struct ClassNodes {
    const hal::MachineClass* machine_class = nullptr; ///< lives in the inventory
    std::vector<std::string> nodes;
};

/// Where a job may run: the nodes of its partitions without those that the user excluded.
struct Candidates {
    std::vector<ClassNodes> classes;  ///< none is empty
    std::vector<std::string> unknown; ///< nodes that are in no class
    std::size_t count_nodes() const;
};

/// Null when the inventory doesn't know it.
const hal::PartitionEntry* find_partition(const hal::Inventory& inventory, const std::string& name);
/// The names of the job's partitions; the default one when it names none (empty when the inventory knows no
/// default).
std::vector<std::string> find_partitions(const JobRequest& job, const hal::Inventory& inventory);

/// The candidates, or Code::inventory when a partition isn't in the inventory.
Result<Candidates> find_candidates(const JobRequest& job, const hal::Inventory& inventory);

} // namespace mscale::submit
