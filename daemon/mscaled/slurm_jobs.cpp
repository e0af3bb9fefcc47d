#include "daemon/mscaled/slurm_jobs.hpp"

#include <csignal>
#include <cstdlib>
#include <ctime>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "base/handle.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

using JobMessage = Handle<job_info_msg_t*, slurm_free_job_info_msg>;
using StepMessage = Handle<job_step_info_response_msg_t*, slurm_free_job_step_info_response_msg>;
using HostList = Handle<hostlist_t, slurm_hostlist_destroy>;

std::string text_of(const char* text)
{
    return text ? text : "";
}

tl::unexpected<Error> slurm_failure(const std::string& what)
{
    const int code = slurm_get_errno();
    const Code kind = code == ESLURM_INVALID_JOB_ID ? Code::no_such_job : Code::node_act;
    return failure(kind, what + ": " + slurm_strerror(code));
}

Result<void> answer(int status, const std::string& what)
{
    if (status != SLURM_SUCCESS) return slurm_failure(what);
    return {};
}

JobFacts facts_of(const slurm_job_info_t& job)
{
    const std::uint32_t base = job.job_state & JOB_STATE_BASE;
    JobFacts facts;
    facts.job_id = job.job_id;
    facts.uid = job.user_id;
    facts.restarts = job.restart_cnt;
    facts.started = job.start_time;
    facts.completing = job.job_state & JOB_COMPLETING;
    facts.running = base == JOB_RUNNING || base == JOB_SUSPENDED || facts.completing;
    constexpr std::uint32_t runs_again = JOB_REQUEUE | JOB_REQUEUE_HOLD | JOB_SPECIAL_EXIT;
    facts.finished = base >= JOB_COMPLETE && !facts.completing;
    facts.ended = base >= JOB_COMPLETE && (job.job_state & runs_again) == 0;
    facts.completed = facts.ended && base == JOB_COMPLETE;
    facts.pending = base == JOB_PENDING;
    facts.held = facts.pending && job.priority == 0;
    facts.begins = facts.pending ? job.eligible_time : 0;
    facts.batch = job.batch_flag != 0;
    facts.batch_host = text_of(job.batch_host);
    facts.nodes = expand_nodes(job.nodes);
    facts.admin_comment = text_of(job.admin_comment);
    return facts;
}

} // namespace

std::vector<std::string> expand_nodes(const char* list)
{
    std::vector<std::string> names;
    if (!list || !*list) return names;
    const HostList hosts(slurm_hostlist_create(list));
    while (char* name = hosts ? slurm_hostlist_shift(hosts.pointer()) : nullptr) {
        names.emplace_back(name);
        std::free(name);
    }
    return names;
}

Result<JobFacts> load_job(std::uint32_t job_id)
{
    JobMessage message;
    if (slurm_load_job(message.out(), job_id, SHOW_ALL | SHOW_DETAIL) != SLURM_SUCCESS) {
        return slurm_failure(format("asking slurmctld for job {}", job_id));
    }
    for (std::uint32_t i = 0; i < message.pointer()->record_count; ++i) {
        const slurm_job_info_t& job = message.pointer()->job_array[i];
        if (job.job_id == job_id) return facts_of(job);
    }
    return failure(Code::no_such_job, format("slurmctld knows no job {}", job_id));
}

Result<std::vector<StepFacts>> load_steps(std::uint32_t job_id)
{
    StepMessage message;
    if (slurm_get_job_steps(0, job_id, NO_VAL, message.out(), SHOW_ALL) != SLURM_SUCCESS) {
        return slurm_failure(format("asking slurmctld for the steps of job {}", job_id));
    }
    std::vector<StepFacts> steps;
    for (std::uint32_t i = 0; i < message.pointer()->job_step_count; ++i) {
        const job_step_info_t& step = message.pointer()->job_steps[i];
        if ((step.state & JOB_STATE_BASE) != JOB_RUNNING) continue;
        steps.push_back({job_id, step.step_id.step_id, step.start_time, expand_nodes(step.nodes)});
    }
    return steps;
}

Result<void> update_admin_comment(std::uint32_t job_id, const std::string& text)
{
    job_desc_msg_t description;
    slurm_init_job_desc_msg(&description);
    std::string copy = text; // libslurm takes a char* and doesn't write to it
    description.job_id = job_id;
    description.admin_comment = copy.data();
    return answer(slurm_update_job(&description), format("posting the state of job {}", job_id));
}

Result<void> cancel_job(std::uint32_t job_id)
{
    return answer(slurm_kill_job(job_id, SIGKILL, 0), format("cancelling job {}", job_id));
}

Result<void> requeue_job(std::uint32_t job_id)
{
    return answer(slurm_requeue(job_id, 0), format("requeueing job {}", job_id));
}

Result<void> begin_job_now(std::uint32_t job_id)
{
    job_desc_msg_t description;
    slurm_init_job_desc_msg(&description);
    description.job_id = job_id;
    description.begin_time = std::time(nullptr);
    return answer(slurm_update_job(&description), format("letting job {} begin", job_id));
}

} // namespace mscale::daemon
