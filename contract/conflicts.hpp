#pragma once

#include <string>
#include <vector>

#include "contract/contract.hpp"

namespace mscale::contract {

/// Two clauses that can't both hold, on whatever machine.
struct Conflict {
    std::string clause; ///< the one that is named as the fault
    Error error;
};

/// The CPUs that a role names by their numbers; nullptr when it asks for a count.  Part of `role`.
const CpuSet* set_of(const Role& role);

/// Every contradiction within the contract.
std::vector<Conflict> find_conflicts(const Contract& contract);

} // namespace mscale::contract
