#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace mscale::slicing {

/// Every job that holds something on this node or left something of its own: a file beside the ledgers
/// ("12.json", "12.lock", "12.tasks", "12.refused"), a directory of mounts, a claim on huge pages.  A crash may
/// have left any of them alone.
std::set<std::uint32_t> list_held_jobs(const std::string& state);

/// True when huge pages that grew for jobs are still there though no job claims them.
bool has_pages_to_settle(const std::string& state);

} // namespace mscale::slicing
