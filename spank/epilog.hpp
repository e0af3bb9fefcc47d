#pragma once

#include "spank/arguments.hpp"
#include "spank/edge.hpp"
#include "spank/slurm.hpp"

namespace mscale::spank {

/// job_epilog, as root: has `mscale-node release` undo what the job's ledger names.  It needs nothing of the job's own
/// variables.  Always go_on, since Slurm drains the node of an epilog that fails; mscaled tries again what is left.
Decision release_contract(Slurm& slurm, const Arguments& arguments, const char* const* environment);

} // namespace mscale::spank
