#pragma once

#include <string>
#include <vector>

#include "contract/contract.hpp"
#include "contract/verdict.hpp"
#include "submit/decision.hpp"

namespace mscale::submit {

/// The greatest value of Slurm's 16-bit counts; those above it have meanings of their own.
constexpr unsigned greatest_count = 0xfffc;

/// The nodes that the job takes at least, its spares included.
std::uint32_t count_needed_nodes(const JobRequest& job, const contract::Contract& contract);

/// Writes into `decision` what Slurm must be asked so that the contract can be held: slices, CPUs of each
/// task, requeue and, for a job with a script, spare nodes.  What the user asked himself is kept; where it
/// contradicts the contract, the reasons are returned (all of them) and the decision is of no use.
std::vector<contract::Refusal> shape_job(const JobRequest& job, const contract::Contract& contract,
                                         const Ruling& ruling, const std::string& gres_name,
                                         Decision& decision);

} // namespace mscale::submit
