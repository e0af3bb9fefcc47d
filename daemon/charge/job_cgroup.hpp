#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

#include "base/files.hpp"

namespace mscale::daemon {

/// The cgroup that Slurm (task/cgroup) made of a job on this node, with the kernel's account of its memory.  It is found by the
/// names that Slurm gives, below directories of root alone: nothing that a user can name is followed.
struct JobCgroup {
    std::string directory;
    bool unified = true; ///< cgroup v2; else the memory controller of v1
    bool operator==(const JobCgroup&) const = default;
};

/// A job as Slurm names its cgroup; `node` is this node's name in Slurm.
struct JobOfNode {
    std::string node;
    std::uint32_t job_id = 0;
    uid_t uid = 0;
};

/// Nothing where the job has none: before its first step here, without task/cgroup, without the memory controller.
std::optional<JobCgroup> find_job_cgroup(const JobOfNode& job, const Root& root = Root());

/// The narrowest limit over a job's memory, its own or one above, and what stands against it that the kernel can't drop.
struct JobMemory {
    std::uint64_t limit_bytes = 0, used_bytes = 0;
    std::uint64_t room() const { return limit_bytes > used_bytes ? limit_bytes - used_bytes : 0; }
};
/// Nothing when no limit holds.
std::optional<JobMemory> read_job_memory(const JobCgroup& cgroup, const Root& root = Root());

/// Bytes that are charged to the job by enter_job_cgroup.
std::uint64_t read_charged(const JobCgroup& cgroup, const Root& root = Root());

/// Puts the calling process into a part of its own of the job's cgroup: cgroup v2 lets no process be beside the steps.  The
/// part stays, or what is charged would be the job's no more as soon as the job's last step here has ended.
Result<void> enter_job_cgroup(const JobCgroup& cgroup, const Root& root = Root());

/// Removes that part, and the job's own directory, which Slurm could not remove before it.  Charged is then, where pages are
/// left, the cgroup above.
void leave_job_cgroup(const JobCgroup& cgroup, const Root& root = Root());

} // namespace mscale::daemon
