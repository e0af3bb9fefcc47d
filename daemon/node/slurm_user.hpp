#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/error.hpp"

namespace mscale::node {

/// The value of SlurmUser in a text of slurm.conf, or nothing.
std::optional<std::string> find_slurm_user(std::string_view text);

/// The uid of SlurmUser, read from slurm.conf and the files that it includes; root where none is named, as in
/// Slurm. $SLURM_CONF (set by slurmd in prolog and epilog) names the file, else Slurm's own default.  No RPC.
Result<uid_t> read_slurm_user();

} // namespace mscale::node
