#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_forward.hpp"
#include "base/process.hpp"
#include "contract/last_snapshot.hpp"
#include "contract/plan.hpp"
#include "contract/verdict.hpp"

/// What a node knows of a job.  DIRECTORY is ledger_directory(Site::state) (root, 0700):
///   JOBID.json     the record below; written by mscale-node and mscaled under the lock JOBID.lock (slicing/ledger)
///   JOBID.tasks    a line for each task and role process, appended by the SPANK plugin and mscaled
///   JOBID.refused  only when `mscale-node apply` is missing, died or was too late (contract/refused_file)
namespace mscale::contract {

/// The directory of the ledgers below a site's state directory.
std::string ledger_directory(const std::string& state);

/// The largest record that is read, and so the largest that is written.
inline constexpr std::size_t ledger_limit = 16U << 20;

/// One run of a job id; a requeued job begins another.  All 0: no run that a record tells of.
struct Run {
    std::uint32_t restarts = 0;
    std::int64_t started = 0; ///< of the ledger, seconds since the epoch
    bool operator==(const Run&) const = default;
};

/// One thing that was done to the machine, written before it is done; undone in reverse order.
struct Act {
    std::string kind; ///< "hugepages" (grown by `count`), "mount", "route" (unreachable, to the address `path`)
    std::uint64_t page_bytes = 0;
    std::uint64_t count = 0;
    unsigned numa = 0;
    std::string path;
    bool operator==(const Act&) const = default;
};

/// Where a step's tasks lie; written by `mscale-node step`.
struct StepRecord {
    std::uint32_t step_id = 0;
    CpuSet cpus; ///< granted by Slurm, in the kernel's numbering
    Plan plan;
    std::vector<Refusal> refusals; ///< not empty: every task of the step is refused
    ProcessId stepd = {};          ///< its slurmstepd; pid 0 when that isn't known
    bool operator==(const StepRecord&) const = default;
};

/// How far the node is with the job.
enum class Stage { planned, applied, refused, releasing, released };

struct LedgerRecord {
    std::uint32_t job_id = 0;
    std::uint32_t restart_count = 0;
    std::uint32_t uid = 0, gid = 0;
    std::int64_t started = 0; ///< seconds since the epoch
    Stage stage = Stage::planned;
    bool observe = false; ///< nothing is set up and nothing is refused; `refusals` says what would be
    std::string contract; ///< canonical
    Notice notice = {};   ///< of the job, as it was at submit
    std::vector<std::string> nodes; ///< of the allocation, in Slurm's order; the first live one writes the state
    std::vector<unsigned> sm_slices;
    std::vector<std::string> lost_gpus = {}; ///< PCI addresses of GPUs that have failed under the job: no step is planned on them
    Plan plan; ///< of the node: pages, ports, slices; cores only in the steps
    std::vector<Refusal> refusals;
    std::vector<Act> acts;
    std::vector<StepRecord> steps;
};

/// A task or a role's process.
struct TaskRecord {
    std::uint32_t step_id = 0;
    unsigned local_id = 0;
    std::string role; ///< "" : the task itself
    ProcessId process;
    CpuSet cpus; ///< what it was bound to; a later difference is a breach
    bool operator==(const TaskRecord&) const = default;
};

Run run_of(const LedgerRecord& record);

Json to_json(const LedgerRecord& record);
Result<LedgerRecord> ledger_from_json(const Json& json, const std::string& what);

/// One step alone: what `mscale-node step` prints.
Json to_json(const StepRecord& record);
Result<StepRecord> step_from_json(const Json& json, const std::string& what);

/// Reads DIRECTORY/JOBID.json; no_such_job when there is none.
Result<LedgerRecord> read_ledger(const std::string& directory, std::uint32_t job_id);
/// The jobs that have a record, ascending.
Result<std::vector<std::uint32_t>> list_ledgers(const std::string& directory);

/// The task as one line of JOBID.tasks, without its end.
std::string to_line(const TaskRecord& task);
/// Reads DIRECTORY/JOBID.tasks; a torn last line is left out.
Result<std::vector<TaskRecord>> read_tasks(const std::string& directory, std::uint32_t job_id);

} // namespace mscale::contract
