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

/// Every contradiction within the contract.
std::vector<Conflict> find_conflicts(const Contract& contract);

} // namespace mscale::contract
