#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "contract/ledger.hpp"
#include "daemon/mscaled/local_socket.hpp"
#include "daemon/mscaled/processes.hpp"

namespace mscale::daemon {

/// A job of this node as far as the registration of a role needs it.
struct JobPlaces {
    std::uint32_t job_id = 0;
    uid_t uid = 0;
    contract::Stage stage = contract::Stage::planned;
    std::vector<contract::StepRecord> steps;
    std::vector<contract::TaskRecord> tasks;
};

/// The task that a process descends from.
struct Ancestry {
    std::uint32_t job_id = 0;
    std::uint32_t step_id = 0;
    unsigned local_id = 0;
};

/// What is asked of /proc, so that the rules can be tested on their own.
struct ProcessReader {
    std::function<Result<ProcessId>(pid_t)> identify = identify_process;
    std::function<std::optional<pid_t>(pid_t)> parent = read_parent;
    std::function<std::optional<uid_t>(pid_t)> owner = read_owner;
    std::function<Result<CpuSet>(pid_t)> affinity = [](pid_t pid) { return read_affinity(pid); };
};

/// The recorded task among the process and its ancestors, in one of `jobs`; the environment, which a user can
/// set, is not asked.
Result<Ancestry> find_ancestry(pid_t pid, const std::vector<JobPlaces>& jobs, const ProcessReader& reader);

/// The jobs as they were read last, and how to read those of one user again.
struct JobSource {
    std::function<std::vector<JobPlaces>()> places;
    std::function<void(uid_t)> reread;
};

/// The job that a process descends from, when it is the asker's.  What a task wrote a moment ago may not have been read
/// yet: then the asker's own jobs are read again, so that nobody can have those of others read.
Result<std::uint32_t> find_own_job(const Asker& asker, pid_t pid, const JobSource& jobs,
                                   const ProcessReader& reader = {});

/// The record of process `pid` in `role`: it is the asker's, it descends from a task of a job of the asker's,
/// it is bound to exactly the CPUs that one worker of the step has for that role, and it has no role yet (a
/// user mustn't let the job's file grow for ever).  Each thing that isn't so is an error.
Result<std::pair<std::uint32_t, contract::TaskRecord>> make_role_record(const Asker& asker, pid_t pid,
                                                                        const std::string& role,
                                                                        const std::vector<JobPlaces>& jobs,
                                                                        const ProcessReader& reader = {});

} // namespace mscale::daemon
