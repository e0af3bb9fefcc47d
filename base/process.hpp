#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/error.hpp"

namespace mscale {

/// A process that can't be mistaken for a later one with the same number (proc(5), stat field 22).
struct ProcessId {
    pid_t pid = 0;
    std::uint64_t start_time = 0; ///< clock ticks since boot
    auto operator<=>(const ProcessId&) const = default;
};

/// The identity of a living process, or an error when there is none.
Result<ProcessId> identify_process(pid_t pid);
/// True while exactly this process lives (a zombie doesn't).
bool is_alive(const ProcessId& process);

/// What a child left behind.
struct Outcome {
    int status = 0;          ///< exit status, or 128 + signal
    bool timed_out = false;  ///< it was killed at the deadline
    std::string output;      ///< stdout, at most 1 MiB
    std::string diagnostics; ///< stderr, at most 64 KiB
};

/// How long a killed process is waited for by default: one in the kernel's hands may not go at once.
inline constexpr std::chrono::milliseconds default_death_limit{2000};

/// Runs `arguments[0]` (absolute path, no shell) with exactly `environment` and stdin from `input`, in a process group of
/// its own; kills the group at the deadline and waits at most `death_limit` for it to go.  An error only when it could not
/// be started.  The child also gets copies of `passed`, as 3, 4 and so on.
Result<Outcome> run_process(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& environment, const std::string& input,
                            std::chrono::milliseconds deadline,
                            std::chrono::milliseconds death_limit = default_death_limit,
                            const std::vector<int>& passed = {});

} // namespace mscale
