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

/// Counts, in Site.state/contradictions, applies in a row that such a fact refused; one that fits starts
/// anew.  mscaled sets the node to DRAIN at the third.
Result<void> count_contradiction(const contract::Site& site, const std::vector<contract::Refusal>& refusals);

} // namespace mscale::node
