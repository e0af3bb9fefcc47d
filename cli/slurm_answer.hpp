#pragma once

#include "base/json_forward.hpp"

/// What a SlurmChild answers with, beside its own work.
namespace mscale::cli {

/// {"error": what libslurm says of its last call}
Json slurm_error();

/// The names of a host list of Slurm ("n[1-3]"); none for null or a list that can't be read.
Json list_host_names(const char* host_list);

} // namespace mscale::cli
