#pragma once

#include "spank/arguments.hpp"
#include "spank/edge.hpp"
#include "spank/slurm.hpp"

namespace mscale::spank {

/// job_prolog, as root, once for each node of a job: has `mscale-node apply` set the node up.  Nothing happens for a job
/// without a mscale variable in `environment`.  Always go_on, since Slurm drains the node of a prolog that fails: what went
/// wrong is left beside the ledger, and the tasks are refused by it.
Decision apply_contract(Slurm& slurm, const Arguments& arguments, const char* const* environment);

} // namespace mscale::spank
