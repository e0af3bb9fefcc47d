#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/cpu_set.hpp"
#include "base/error.hpp"

namespace mscale::contract {

/// Where a role's threads belong on this node, as the plan told the task in its environment (man 8 spank_mscale).
struct RolePlace {
    CpuSet cpus;
    std::optional<unsigned> numa; ///< the NUMA node that the plan chose for it, if it chose one
};

/// The value of an environment variable, "" where it isn't set.
using ReadVariable = std::function<std::string(const std::string& name)>;
std::string read_variable(const std::string& name);

/// The place of `role` for this worker, which is found by LOCAL_RANK, else SLURM_LOCALID.  role_place for a role that the
/// contract doesn't have (naming those it has), for a worker that it doesn't know, and where there is no contract.
Result<RolePlace> find_role_place(const std::string& role, const ReadVariable& variable = read_variable);

/// Whether this process runs under a contract that has roles.
bool has_roles(const ReadVariable& variable = read_variable);

/// What the plan told of the role, as `name` of MSCALE_ROLE_<ROLE>_<NAME>, for the same worker; "" where nothing.
std::string read_role_variable(const std::string& role, const std::string& name, const ReadVariable& variable = read_variable);

} // namespace mscale::contract
