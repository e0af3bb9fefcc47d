#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace mscale::spank {

/// PrologEpilogTimeout of the slurm.conf at `path`, or nothing when it isn't set there: Slurm then waits for ever.
/// No call of libslurm tells it without asking slurmctld, and a prolog asks nobody.  Included files aren't followed.
std::optional<std::chrono::milliseconds> read_prolog_timeout(const std::string& path);

} // namespace mscale::spank
