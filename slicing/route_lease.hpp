#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "contract/ledger.hpp"
#include "slicing/ledger.hpp"

/// Unreachable routes to the dead batch hosts of jobs, as acts ("route", the address as its path) in the jobs' ledgers.
namespace mscale::slicing {

/// Writes the route to the ledger of this run, then adds it.  no_such_job when the run holds nothing here any more, or its
/// release has begun.
Result<void> lease_dead_route(const Ledger& ledger, const contract::Run& run, const std::string& address);

/// mscale's routes that no job's ledger has: what a crash left.  None where the routes or a ledger can't be read.
std::vector<std::string> find_stray_routes(const std::string& state);

} // namespace mscale::slicing
