#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/cpu_set.hpp"
#include "base/process.hpp"

/// What /proc says of processes; every answer may be outdated when it is read.
namespace mscale::daemon {

struct Thread {
    pid_t id = 0;
    CpuSet cpus;
};

/// The threads of a process with their affinities; those that end meanwhile are left out, so a dead process
/// has none.
std::vector<Thread> read_threads(pid_t pid);

/// The parent, or nothing when `pid` is gone or has none.
std::optional<pid_t> read_parent(pid_t pid);
/// Who the process acts as (its effective uid).
std::optional<uid_t> read_owner(pid_t pid);

/// A step of a job, by the title that slurmstepd gives itself.
struct StepName {
    std::uint32_t job_id = 0;
    std::string step; ///< "0", "batch", "extern", "interactive"
    auto operator<=>(const StepName&) const = default;
};

/// "slurmstepd: [12.batch]" -> 12, batch; nothing for any other command line.  A component of a het step,
/// "[12.0+1]", is step 0, as slurmctld numbers it.
std::optional<StepName> parse_stepd_title(std::string_view command_line);
/// The step that `pid` is the slurmstepd of: its title, and root's process, since anybody may choose a title.
std::optional<StepName> read_stepd(pid_t pid);
/// Every slurmstepd of this node, by its process.
std::vector<std::pair<pid_t, StepName>> list_stepd_processes();
/// Their steps.
std::vector<StepName> list_stepds();

} // namespace mscale::daemon
