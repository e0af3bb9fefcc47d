#include "submit/job_lookup.hpp"

#include <cerrno>
#include <exception>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "base/handle.hpp"
#include "submit/helper_thread.hpp"
#include "submit/host_list.hpp"
#include "submit/slurm_abi.hpp"

namespace mscale::submit {

namespace {

using JobInfo = Handle<job_info_msg_t*, slurm_free_job_info_msg>;

PendingJob read_job(const slurm_job_info_t& info)
{
    const auto text_of = [](const char* text) { return std::string(text ? text : ""); };
    PendingJob job;
    job.admin_comment = text_of(info.admin_comment);
    job.partition = text_of(info.partition);
    job.tres_per_node = text_of(info.tres_per_node);
    job.nodes = info.num_nodes;
    job.max_nodes = info.max_nodes;
    job.tasks = info.num_tasks;
    job.cpus = info.num_cpus;
    job.cpus_per_task = info.cpus_per_task;
    job.tasks_per_node = info.ntasks_per_node;
    job.cpus_per_node = info.pn_min_cpus;
    job.running = (info.job_state & JOB_STATE_BASE) == JOB_RUNNING;
    job.requeue = info.requeue != 0;
    if (is_held(job.admin_comment)) job.excluded_nodes = expand_hosts(info.exc_nodes);
    return job;
}

int load_into(job_info_msg_t** info, std::uint32_t job_id)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 5, 0)
    return slurm_load_job(info, job_id, SHOW_ALL | SHOW_DETAIL);
#else
    slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;
    id.job_id = job_id;
    return slurm_load_job(info, id, SHOW_ALL | SHOW_DETAIL);
#endif
}

/// Nothing when slurmctld didn't answer.
std::optional<std::vector<PendingJob>> load_job(std::uint32_t job_id)
{
    JobInfo info;
    if (load_into(info.out(), job_id) != SLURM_SUCCESS)
        return errno == ESLURM_INVALID_JOB_ID ? std::optional<std::vector<PendingJob>>(std::in_place)
                                              : std::nullopt;
    std::vector<PendingJob> jobs;
    for (std::uint32_t i = 0; info && i < info.pointer()->record_count; ++i)
        jobs.push_back(read_job(info.pointer()->job_array[i]));
    return jobs;
}

} // namespace

void JobLookup::drop_old_entries()
{
    const auto oldest = std::chrono::steady_clock::now() - keep_time;
    std::erase_if(entries_, [&](const auto& entry) { return entry.second.asked < oldest; });
}

void JobLookup::ask(std::uint32_t job_id)
{
    try {
        auto jobs = load_job(job_id);
        const std::lock_guard lock(mutex_);
        if (auto entry = entries_.find(job_id); entry != entries_.end()) entry->second.jobs = std::move(jobs);
    } catch (const std::exception& e) {
        slurm_error("mscale: job %u couldn't be looked up: %s", job_id, e.what());
    } catch (...) {
        slurm_error("mscale: job %u couldn't be looked up", job_id);
    }
}

std::optional<std::vector<PendingJob>> JobLookup::find(std::uint32_t job_id)
{
    const std::lock_guard lock(mutex_);
    drop_old_entries();
    if (const auto entry = entries_.find(job_id); entry != entries_.end()) return entry->second.jobs;
    if (entries_.size() >= most_entries) return std::nullopt;
    entries_[job_id].asked = std::chrono::steady_clock::now();
    start_thread([this, job_id] { ask(job_id); });
    return std::nullopt;
}

} // namespace mscale::submit
