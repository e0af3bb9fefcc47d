#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "daemon/charge/job_cgroup.hpp"
#include "recovery/admission.hpp"
#include "recovery/slot.hpp"

namespace mscale::daemon {

/// At whose expense the memory of snapshots is: that of the job, where Slurm has made it a cgroup here, else mscaled's.  For any
/// thread.
class Charge {
public:
    /// `program` is the path of mscale-charge; an empty one: all is mscaled's.
    explicit Charge(std::string program = {}) : program_(std::move(program)) {}
    /// This node's name in Slurm, once it is known.
    void set_node(const std::string& node);

    /// Fills the memfd with pages of the job.  snapshot_room, with numbers, when its limit doesn't allow them; a job whose cgroup
    /// can't be entered is told of in the log and pays nothing.  Waits for the pages.
    Result<void> reserve(const recovery::Owner& owner, int descriptor, std::uint64_t bytes);

    /// What the job's limit leaves; nothing when none holds.
    std::optional<JobMemory> limit_of(std::uint32_t job_id, uid_t uid) const;
    /// Bytes that the job pays for here; nothing when it has no cgroup.
    std::optional<std::uint64_t> charged_of(std::uint32_t job_id, uid_t uid) const;
    /// The job has left this node: what stays of its snapshots is held at the site's expense.  `uid` where it is known: an
    /// earlier mscaled may have charged the job.
    void leave(std::uint32_t job_id, std::optional<uid_t> uid);

private:
    void remember(std::uint32_t job_id, const JobCgroup& cgroup);
    std::optional<JobCgroup> find(std::uint32_t job_id, uid_t uid) const;

    std::string program_;
    mutable std::mutex mutex_; // guards all below
    std::string node_;
    std::map<std::uint32_t, JobCgroup> entered_; // by job
};

} // namespace mscale::daemon
