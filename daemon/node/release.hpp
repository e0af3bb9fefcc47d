#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "contract/ledger.hpp"
#include "contract/site.hpp"

namespace mscale::node {

/// Undoes what the job holds on this node; nothing held is fine.  With `run`, only what that run of the job
/// holds (compared under the job's lock): a release that waited must not hit a requeued job's next run.
Result<void> release_job(std::uint32_t job_id, const std::optional<contract::Run>& run,
                         const contract::Site& site);

/// Releases every job that holds something here, or of which something is kept, and isn't in `live`; without `live`
/// slurmctld is asked, and when it doesn't answer nothing is released.  Gives back huge pages that earlier releases
/// couldn't, and removes routes that no ledger has.  The first error is returned after all were tried.
Result<void> reconcile_node(std::optional<std::set<std::uint32_t>> live, const contract::Site& site);

} // namespace mscale::node
