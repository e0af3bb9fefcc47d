#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_forward.hpp"
#include "hal/machine.hpp"

namespace mscale::hal {

/// A class of equal nodes.
struct MachineClass {
    std::string name;               ///< the file's name without .json
    std::vector<std::string> nodes; ///< as Slurm names them (NodeName), sorted
    Machine machine;
    std::int64_t written = 0; ///< seconds since the epoch
};

/// A partition as it was when the inventory was written.
struct PartitionEntry {
    std::string name;
    std::vector<std::string> nodes;
    bool is_default = false;
    std::string preemption = {};  ///< PreemptMode in lower case: "off", "cancel", "requeue", …; "" not recorded
    std::optional<unsigned> grace = {}; ///< GraceTime: seconds between the notice and the end of a preempted job
    std::optional<unsigned> kill_wait = {}; ///< KillWait of the cluster: seconds between the time limit and the end
};

/// What slurmctld knows of the machines: `DIRECTORY/*.json`, one a class, and `partitions.json`.
struct Inventory {
    std::vector<MachineClass> classes;
    std::vector<PartitionEntry> partitions;
};

/// Reads the whole directory or names each file that can't be read.
Result<Inventory> read_inventory(const std::string& directory);
/// Reads what can be read of it: `faults` gets one for each other file, its path first.  An error when there is no directory.
Result<Inventory> read_readable_inventory(const std::string& directory, std::vector<Error>& faults);

Json to_json(const MachineClass& machine_class);
Result<MachineClass> class_from_json(const Json& json, const std::string& what);
Json to_json(const std::vector<PartitionEntry>& partitions);
Result<std::vector<PartitionEntry>> partitions_from_json(const Json& json, const std::string& what);

/// Equal as far as a contract can see: the same but for name, serial numbers, UUIDs and free memory.
bool is_same_class(const Machine& a, const Machine& b);

} // namespace mscale::hal
