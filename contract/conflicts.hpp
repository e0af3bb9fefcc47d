#pragma once

#include <string>
#include <vector>

#include "contract/contract.hpp"

namespace mscale::contract {

/// A clause that can't hold on whatever machine: another one contradicts it, or the one that it belongs to isn't given.
struct Conflict {
    std::string clause; ///< the one that is named as the fault
    Error error;
    std::vector<std::string> bases = {}; ///< one of these would cure it; none for a contradiction
};

/// The CPUs that a role names by their numbers; nullptr when it asks for a count.  Part of `role`.
const CpuSet* set_of(const Role& role);

/// Every such clause of the contract.
std::vector<Conflict> find_conflicts(const Contract& contract);

} // namespace mscale::contract
