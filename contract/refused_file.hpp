#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "contract/verdict.hpp"

/// DIRECTORY/JOBID.refused, beside the ledgers: what the SPANK plugin leaves when `mscale-node apply` is missing, dies or
/// doesn't end in time.  The ledger, if there is one, is no longer to be believed as applied, but still to be released.
namespace mscale::contract {

/// Writes the refusals (root, 0600), making the directory (0700).
Result<void> write_refused_file(const std::string& directory, std::uint32_t job_id,
                                const std::vector<Refusal>& refusals);

/// The refusals, or no_such_job when the file isn't there.
Result<std::vector<Refusal>> read_refused_file(const std::string& directory, std::uint32_t job_id);

/// Removes the file; that it isn't there is fine.
Result<void> remove_refused_file(const std::string& directory, std::uint32_t job_id);

} // namespace mscale::contract
