#include "cli/run/slurm_acts.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <thread>

#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/slurm_answer.hpp"

namespace mscale::cli {
namespace {

/// srun of this host: another host of the job may have one with the same number.
bool is_of(const job_step_info_t& step, const char* host, std::uint32_t srun_pid)
{
    return step.srun_pid == srun_pid && step.srun_host != nullptr && std::strcmp(step.srun_host, host) == 0;
}

/// PreemptMode of the job's partition, else of the cluster.
std::uint16_t preempt_mode_of(const std::string& partition)
{
    std::uint16_t mode = NO_VAL16;
    partition_info_msg_t* partitions = nullptr;
    if (slurm_load_partitions(0, &partitions, SHOW_ALL) == SLURM_SUCCESS) {
        for (std::uint32_t i = 0; i < partitions->record_count; ++i)
            if (partition == partitions->partition_array[i].name) mode = partitions->partition_array[i].preempt_mode;
        slurm_free_partition_info_msg(partitions);
    }
    slurm_conf_t* conf = nullptr;
    if (mode != NO_VAL16 || slurm_load_ctl_conf(0, &conf) != SLURM_SUCCESS) return mode;
    mode = conf->preempt_mode;
    slurm_free_ctl_conf(conf);
    return mode;
}

/// A job that is preempted with time to end is still running for slurmctld.
Json end_of(const job_info_t& job)
{
    const std::uint32_t base = job.job_state & JOB_STATE_BASE;
    const bool requeued = base == JOB_PENDING || (job.job_state & (JOB_REQUEUE | JOB_REQUEUE_HOLD)) != 0;
    const bool preempted = job.preempt_time != 0 || base == JOB_PREEMPTED;
    const bool may_requeue = base == JOB_RUNNING && preempted && job.requeue == 1 && job.batch_flag != 0;
    const bool requeues =
        may_requeue && (preempt_mode_of(job.partition != nullptr ? job.partition : "") & PREEMPT_MODE_REQUEUE) != 0;
    const char* const cause = preempted               ? "preemption"
                              : requeued              ? "requeue"
                              : base == JOB_TIMEOUT   ? "time limit"
                              : base == JOB_CANCELLED ? "scancel"
                                                      : "";
    return {{"cause", cause}, {"requeued", requeued}, {"requeues", requeues}};
}

Result<bool> has_step(std::uint32_t job_id, const std::function<bool(std::uint32_t srun_pid)>& is_meant)
{
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    job_step_info_response_msg_t* steps = nullptr;
    if (slurm_get_job_steps(0, job_id, NO_VAL, &steps, SHOW_ALL) != SLURM_SUCCESS)
        return failure(Code::peer, slurm_strerror(slurm_get_errno()));
    const std::span listed(steps->job_steps, steps->job_step_count);
    const bool found = std::ranges::any_of(listed, [&](const auto& step) {
        return step.srun_pid != 0 && is_of(step, host, step.srun_pid) && is_meant(step.srun_pid);
    });
    slurm_free_job_step_info_response_msg(steps);
    return found;
}

} // namespace

bool has_srun_ended(std::uint32_t pid)
{
    return Root().read_line(format("/proc/{}/comm", pid)).value_or("") != "srun";
}

Json wait_for_end_of_steps(std::uint32_t job_id, const std::function<bool(std::uint32_t srun_pid)>& is_meant)
{
    constexpr std::chrono::milliseconds between_looks{100};
    slurm_init(nullptr);
    Result<bool> found = false;
    for (int look = 0; look < 5; ++look) {
        if (look > 0) std::this_thread::sleep_for(between_looks);
        found = has_step(job_id, is_meant);
        if (!found) return slurm_error();
        if (!*found) break;
    }
    return {{"left", *found}};
}

bool is_step_left(const Json& answer)
{
    return answer.value("left", false);
}

Json signal_step_of(std::uint32_t job_id, std::uint32_t srun_pid, int signal)
{
    slurm_init(nullptr);
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    job_step_info_response_msg_t* steps = nullptr;
    if (slurm_get_job_steps(0, job_id, NO_VAL, &steps, SHOW_ALL) != SLURM_SUCCESS) return slurm_error();
    bool found = false;
    for (std::uint32_t i = 0; i < steps->job_step_count; ++i) {
        const job_step_info_t& step = steps->job_steps[i];
        if (!is_of(step, host, srun_pid)) continue;
        found = true;
        slurm_kill_job_step(job_id, step.step_id.step_id, static_cast<std::uint16_t>(signal));
    }
    slurm_free_job_step_info_response_msg(steps);
    return {{"found", found}};
}

bool had_step(const Json& answer)
{
    return answer.value("found", true);
}

Json list_allocation(std::uint32_t job_id)
{
    slurm_init(nullptr);
    job_info_msg_t* message = nullptr;
    if (slurm_load_job(&message, job_id, SHOW_ALL) != SLURM_SUCCESS) return slurm_error();
    Json nodes = Json::array();
    for (std::uint32_t i = 0; i < message->record_count; ++i)
        if (message->job_array[i].job_id == job_id) nodes = list_host_names(message->job_array[i].nodes);
    slurm_free_job_info_msg(message);
    return {{"nodes", nodes}};
}

std::optional<std::vector<std::string>> read_allocation(const Json& answer)
{
    const auto nodes = read_member<std::vector<std::string>>(answer, "nodes", "Slurm's answer");
    if (!nodes || nodes->empty()) return std::nullopt;
    return *nodes;
}

Json requeue_job(std::uint32_t job_id)
{
    slurm_init(nullptr);
    if (slurm_requeue(job_id, 0) != SLURM_SUCCESS) return slurm_error();
    return Json::object();
}

Json load_job_end(std::uint32_t job_id)
{
    slurm_init(nullptr);
    job_info_msg_t* message = nullptr;
    if (slurm_load_job(&message, job_id, SHOW_ALL) != SLURM_SUCCESS) return slurm_error();
    Json end = Json::object();
    for (std::uint32_t i = 0; i < message->record_count; ++i)
        if (message->job_array[i].job_id == job_id) end = end_of(message->job_array[i]);
    slurm_free_job_info_msg(message);
    return end;
}

} // namespace mscale::cli
