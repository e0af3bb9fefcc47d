#include "daemon/mscaled/role_process.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::size_t records_borne = 100000; // of one job: its file of tasks must stay readable
constexpr int generations = 256; // a chain of parents longer than this is no job's

const JobPlaces& job_of(const std::vector<JobPlaces>& jobs, std::uint32_t job_id)
{
    for (const JobPlaces& job : jobs) {
        if (job.job_id == job_id) return job;
    }
    return jobs.front();
}

const contract::TaskRecord* find_task(const JobPlaces& job, const ProcessId& process)
{
    for (const contract::TaskRecord& task : job.tasks) {
        if (task.process == process) return &task;
    }
    return nullptr;
}

std::vector<CpuSet> places_of(const JobPlaces& job, std::uint32_t step_id, const std::string& role)
{
    std::vector<CpuSet> places;
    for (const contract::StepRecord& step : job.steps) {
        if (step.step_id != step_id) continue;
        for (const contract::WorkerPlan& worker : step.plan.workers) {
            for (const contract::RolePlan& plan : worker.roles) {
                if (plan.name == role) places.push_back(plan.cpus);
            }
        }
    }
    return places;
}

tl::unexpected<Error> not_the_askers(const Asker& asker, const JobPlaces& job)
{
    return failure(Code::not_yours,
                   format("job {} belongs to uid {}, not to {}", job.job_id, job.uid, asker.uid));
}

Result<void> check_owner(const Asker& asker, pid_t pid, const JobPlaces& job, const ProcessReader& reader)
{
    const auto owner = reader.owner(pid);
    if (!owner || *owner != job.uid) {
        return failure(Code::not_yours,
                       format("process {} isn't one of uid {}, who owns job {}", pid, job.uid, job.job_id));
    }
    if (asker.uid != 0 && asker.uid != job.uid) return not_the_askers(asker, job);
    return {};
}

Result<void> check_new(const JobPlaces& job, const ProcessId& process)
{
    const auto is_registered = [&](const contract::TaskRecord& task) {
        return task.process == process && !task.role.empty();
    };
    const auto found = std::find_if(job.tasks.begin(), job.tasks.end(), is_registered);
    if (found != job.tasks.end())
        return failure(Code::not_yours,
                       format("process {} is registered already, as role '{}'", process.pid, found->role));
    if (job.tasks.size() >= records_borne)
        return failure(Code::not_yours,
                       format("job {} has registered {} processes here, and no more are taken", job.job_id,
                              job.tasks.size()));
    return {};
}

Result<CpuSet> find_place(pid_t pid, const std::string& role, const JobPlaces& job, std::uint32_t step_id,
                          const ProcessReader& reader)
{
    const auto places = places_of(job, step_id, role);
    if (places.empty()) {
        return failure(
            Code::not_yours,
            format("the contract of job {} has no role '{}' in this step", job.job_id, printable(role)),
            "use a role of the contract; MSCALE_ROLES lists them");
    }
    auto found = reader.affinity(pid);
    if (!found) return found;
    for (const CpuSet& place : places) {
        if (place == *found) return place;
    }
    return failure(Code::apply_cores,
                   format("process {} is bound to {}, role '{}' has {}", pid, to_string(*found), role,
                          to_string(places.front())),
                   "start it by `mscale exec --role NAME -- COMMAND`, which binds it first");
}

} // namespace

Result<Ancestry> find_ancestry(pid_t pid, const std::vector<JobPlaces>& jobs, const ProcessReader& reader)
{
    std::optional<pid_t> current = pid;
    for (int i = 0; current && i < generations; ++i, current = reader.parent(*current)) {
        const auto process = reader.identify(*current);
        if (!process) break;
        for (const JobPlaces& job : jobs) {
            const contract::TaskRecord* task = find_task(job, *process);
            if (task) return Ancestry{job.job_id, task->step_id, task->local_id};
        }
    }
    return failure(Code::no_such_job,
                   format("process {} descends from no task of a job with a contract on this node", pid),
                   "start it from a task of the job");
}

Result<std::uint32_t> find_own_job(const Asker& asker, pid_t pid, const JobSource& jobs,
                                   const ProcessReader& reader)
{
    auto places = jobs.places();
    auto found = find_ancestry(pid, places, reader);
    const auto owner = found ? std::nullopt : reader.owner(pid);
    if (owner && (asker.uid == 0 || asker.uid == *owner)) {
        jobs.reread(*owner);
        places = jobs.places();
        found = find_ancestry(pid, places, reader);
    }
    if (!found) return tl::unexpected(found.error());
    const JobPlaces& job = job_of(places, found->job_id);
    if (asker.uid != 0 && asker.uid != job.uid) return not_the_askers(asker, job);
    return job.job_id;
}

Result<std::pair<std::uint32_t, contract::TaskRecord>> make_role_record(const Asker& asker, pid_t pid,
                                                                        const std::string& role,
                                                                        const std::vector<JobPlaces>& jobs,
                                                                        const ProcessReader& reader)
{
    const auto process = reader.identify(pid);
    if (!process) return tl::unexpected(process.error());
    const auto ancestry = find_ancestry(pid, jobs, reader);
    if (!ancestry) return tl::unexpected(ancestry.error());
    const JobPlaces& job = job_of(jobs, ancestry->job_id);
    if (auto owned = check_owner(asker, pid, job, reader); !owned) return tl::unexpected(owned.error());
    if (auto fresh = check_new(job, *process); !fresh) return tl::unexpected(fresh.error());
    const auto place = find_place(pid, role, job, ancestry->step_id, reader);
    if (!place) return tl::unexpected(place.error());
    const auto again = reader.identify(pid);
    if (!again || *again != *process)
        return failure(Code::not_yours, format("process {} ended meanwhile", pid));
    return std::pair{job.job_id,
                     contract::TaskRecord{ancestry->step_id, ancestry->local_id, role, *process, *place}};
}

} // namespace mscale::daemon
