#pragma once

#include <string>
#include <vector>

#include "contract/site.hpp"
#include "contract/verdict.hpp"

namespace mscale::node {

/// True for a fact of the machine itself, which job_submit found otherwise in the inventory; false for what
/// other jobs or the user's own choice of tasks can bring about (free huge pages, cores outside the
/// allocation, deadlines).
bool contradicts_inventory(Code code);

/// What of a verdict says something of the machine: its refusals where Slurm granted no slices, else those
/// that the same contract meets on the machine without them.  Which slices, on which GPU and of which type is
/// the scheduler's choice and the user's (`--gres=sm:TYPE:N`), not a fact of the node.
std::vector<contract::Refusal> refusals_of_machine(const contract::Contract& contract,
                                                   const contract::Question& question,
                                                   const std::vector<contract::Refusal>& refusals);

/// Counts, in Site.state/contradictions, applies in a row that such a fact refused; one that fits starts
/// anew.  mscaled sets the node to DRAIN at the third.
Result<void> count_contradiction(const contract::Site& site, const std::vector<contract::Refusal>& refusals);

} // namespace mscale::node
