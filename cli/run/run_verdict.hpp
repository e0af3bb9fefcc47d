#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_forward.hpp"
#include "cli/run/losses.hpp"

namespace mscale::cli {

/// How a run stands.  Exit codes can't tell these apart: Slurm turns them into those of the signals by which it ended ranks.
enum class Outcome {
    running,         ///< not at its end, or `mscale run` itself was killed
    complete,        ///< the program is done
    left,            ///< told to end: all ranks left after a common step that is saved; another run goes on
    ended,           ///< told to end before its ranks could do that
    out_of_restarts, ///< lost once more than --max-restarts
    no_progress,     ///< lost twice at the same step by the program's own fault
    unregistered,    ///< the program failed and keeps no snapshots
    refused,         ///< mscaled lets its ranks not begin, and wouldn't those of another run
    out_of_nodes     ///< too few nodes are left
};

/// The verdict of one `mscale run`, as it is written to --verdict.
struct RunVerdict {
    std::uint32_t job_id = 0;
    Outcome outcome = Outcome::running;
    int status = 0;         ///< exit status of `mscale run`
    int program_status = 0; ///< of the last srun
    bool requeued = false;  ///< the job was or is to be requeued
    std::optional<std::uint64_t> committed_step = std::nullopt; ///< of the newest snapshot of all ranks
    unsigned restarts = 0;
    std::vector<Loss> losses = {}; ///< the blame record, oldest first
    bool operator==(const RunVerdict&) const = default;
};

std::string name_of(Outcome outcome); ///< "out_of_restarts"
std::string name_of(Cause cause);     ///< "node", "part", "program", "hang", "launch"

/// {"version":1,"job":…,"verdict":…,"status":…,"program_status":…,"requeued":…,"committed_step":…|null,"restarts":…,
/// "losses":[{"cause":…,"node":…,"what":…,"step":…|null,"committed_step":…|null}]}
Json to_json(const RunVerdict& verdict);

} // namespace mscale::cli
