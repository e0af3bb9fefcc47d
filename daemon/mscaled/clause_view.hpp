#pragma once

#include <string>
#include <vector>

#include "contract/contract.hpp"
#include "daemon/mscaled/jobs.hpp"

namespace mscale::daemon {

/// One clause of a contract on one node: what was promised, what was granted, what is found now.
struct ClauseView {
    std::string clause;   ///< "role.image_loader.cores"
    std::string promised; ///< as in the contract
    std::string granted;  ///< places and numbers of this node; "" when the plan says nothing of it
    std::string found;    ///< as the machine is now; "" when nothing reads it again
    bool enforced = true;
};

/// The clauses of the contract, in canonical order.  Pure.
std::vector<ClauseView> view_clauses(const contract::Contract& contract, const LocalJob& job);

} // namespace mscale::daemon
