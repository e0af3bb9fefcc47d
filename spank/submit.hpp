#pragma once

#include "spank/arguments.hpp"
#include "spank/edge.hpp"
#include "spank/options.hpp"
#include "spank/slurm.hpp"

namespace mscale::spank {

/// init_post_opt of sbatch, salloc and srun, once for each component of a het job: hands the canonical text to job_submit
/// as a job-control variable, or tells every fault of the contract and refuses.  Nothing is read without a contract.
Decision hand_over_contract(Slurm& slurm, Request& request, const Arguments& arguments);

} // namespace mscale::spank
