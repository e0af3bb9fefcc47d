#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace mscale::spank {

enum class Script { prolog, epilog };

/// When Slurm ends a prolog or epilog: the least of PrologEpilogTimeout and PrologTimeout or EpilogTimeout (Slurm 25.05)
/// of the slurm.conf at `path` and what it includes; nothing when none is set: Slurm then waits for ever.
/// No call of libslurm tells it without asking slurmctld, and a prolog asks nobody.
std::optional<std::chrono::milliseconds> read_script_timeout(const std::string& path, Script script);

} // namespace mscale::spank
