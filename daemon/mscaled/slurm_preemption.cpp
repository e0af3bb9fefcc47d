#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "base/handle.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"

namespace mscale::daemon {

namespace {

using JobMessage = Handle<job_info_msg_t*, slurm_free_job_info_msg>;
using PartitionMessage = Handle<partition_info_msg_t*, slurm_free_partition_info_msg>;
using Configuration = Handle<slurm_conf_t*, slurm_free_ctl_conf>;

tl::unexpected<Error> no_answer(std::uint32_t job_id)
{
    return failure(Code::node_act, format("asking slurmctld whether job {} is preempted: {}", job_id,
                                          slurm_strerror(slurm_get_errno())));
}

/// PreemptMode of the partition, else of the cluster.
std::uint16_t find_preempt_mode(const std::string& partition)
{
    PartitionMessage partitions;
    if (slurm_load_partitions(0, partitions.out(), SHOW_ALL) == SLURM_SUCCESS)
        for (std::uint32_t i = 0; i < partitions.pointer()->record_count; ++i) {
            const partition_info_t& entry = partitions.pointer()->partition_array[i];
            if (partition == entry.name && entry.preempt_mode != NO_VAL16) return entry.preempt_mode;
        }
    Configuration configuration;
    return slurm_load_ctl_conf(0, configuration.out()) == SLURM_SUCCESS ? configuration.pointer()->preempt_mode
                                                                        : std::uint16_t{0};
}

} // namespace

Result<bool> is_preempted_to_requeue(std::uint32_t job_id)
{
    JobMessage message;
    if (slurm_load_job(message.out(), job_id, SHOW_ALL) != SLURM_SUCCESS) return no_answer(job_id);
    for (std::uint32_t i = 0; i < message.pointer()->record_count; ++i) {
        const slurm_job_info_t& job = message.pointer()->job_array[i];
        const bool runs = (job.job_state & JOB_STATE_BASE) == JOB_RUNNING && (job.job_state & JOB_COMPLETING) == 0;
        if (job.job_id != job_id || !runs || job.preempt_time == 0 || job.requeue != 1 || job.batch_flag == 0) continue;
        return (find_preempt_mode(job.partition ? job.partition : "") & PREEMPT_MODE_REQUEUE) != 0;
    }
    return false;
}

} // namespace mscale::daemon
