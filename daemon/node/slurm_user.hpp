#pragma once

#include <sys/types.h>

#include "base/error.hpp"

namespace mscale::node {

/// The uid of SlurmUser, read from slurm.conf and the files that it includes; root where none is named, as in
/// Slurm. $SLURM_CONF (set by slurmd in prolog and epilog) names the file, else Slurm's own default.  No RPC.
Result<uid_t> read_slurm_user();

} // namespace mscale::node
