#pragma once

#include "contract/site.hpp"
#include "contract/verified.hpp"
#include "daemon/node/job_environment.hpp"

namespace mscale::node {

/// The contract that job_submit vouches for.  Code::credential when the text was made by another than
/// SlurmUser or root, for another user, or when there is only a client's own text.
Result<contract::Verified> read_verified(const JobEnvironment& job, const contract::Site& site);

} // namespace mscale::node
