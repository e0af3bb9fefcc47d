#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/ledger.hpp"
#include "daemon/mscaled/part.hpp"
#include "daemon/mscaled/processes.hpp"
#include "daemon/mscaled/report.hpp"

/// What is compared with a promise while a job runs.  Pure.
namespace mscale::daemon {

/// A recorded process as it is now.
struct ProcessFinding {
    contract::TaskRecord promised;
    std::vector<Thread> threads; ///< empty: it has ended
};

/// The huge pages of one size on one NUMA node, or of one mount, as they are now.
struct PageFinding {
    std::uint64_t page_bytes = 0;
    std::optional<unsigned> numa; ///< empty for a mount
    std::string mount;
    std::uint64_t promised = 0, found = 0; ///< pages
};

struct Findings {
    std::vector<ProcessFinding> processes;
    std::vector<PageFinding> pages;
    std::vector<PartFinding> parts = {};
};

/// The union of the threads' CPUs.
CpuSet found_cpus(const ProcessFinding& finding);

/// True for a step that srun started: not the batch script and its like.
bool is_step_of_srun(std::uint32_t step_id);
/// True for a task of such a step.
bool is_of_srun(const contract::TaskRecord& task);
/// True when all tasks of some step that srun started have ended.
bool has_ended_step(const Findings& findings);

/// True when tasks of the step live and its slurmstepd doesn't: nobody would tell srun of their end.
bool has_left_tasks(const contract::StepRecord& step, bool stepd_lives, const Findings& findings);

/// The first promise that doesn't hold, or nothing.
///
/// A CPU outside the promise is a breach for any thread.  Fewer CPUs than promised are one only for the first
/// thread of a role's process: numeric libraries bind their own threads, and the task's first one, to parts
/// of what they were given.
std::optional<Breach> find_breach(const Findings& findings);

} // namespace mscale::daemon
