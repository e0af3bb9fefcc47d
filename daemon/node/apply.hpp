#pragma once

#include "contract/ledger.hpp"
#include "contract/site.hpp"
#include "daemon/node/job_environment.hpp"
#include "slicing/ledger.hpp"

namespace mscale::node {

/// Sets this node up for the job: believes, judges, plans, acts.  What refuses the contract stands in the
/// record, which is in the ledger when this returns; an error is the node's own fault.  A job without a
/// contract has no record.
Result<std::optional<contract::LedgerRecord>> apply_contract(const JobEnvironment& job,
                                                             const contract::Site& site);

/// The same within a ledger that is open and holds nothing, for a job that has a contract.
Result<contract::LedgerRecord> apply_to_ledger(const slicing::Ledger& ledger, const JobEnvironment& job,
                                               const contract::Site& site);

} // namespace mscale::node
