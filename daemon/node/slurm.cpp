#include "daemon/node/slurm.hpp"

#include <cstdlib>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "base/handle.hpp"
#include "base/text.hpp"

namespace mscale::node {
namespace {

using Hosts = Handle<hostlist_t, slurm_hostlist_destroy>;
using Jobs = Handle<job_info_msg_t*, slurm_free_job_info_msg>;

bool is_live(const job_info_t& job)
{
    const std::uint32_t base = job.job_state & JOB_STATE_BASE;
    return base <= JOB_SUSPENDED || (job.job_state & JOB_COMPLETING) != 0;
}

} // namespace

std::vector<std::string> expand_host_list(const std::string& list)
{
    std::vector<std::string> names;
    const Hosts hosts(slurm_hostlist_create(list.c_str()));
    while (hosts) {
        const Handle<char*, std::free> name(slurm_hostlist_shift(hosts.pointer()));
        if (!name) break;
        names.emplace_back(name.pointer());
    }
    return names;
}

Result<std::set<std::uint32_t>> load_live_jobs()
{
    slurm_init(nullptr);
    Jobs jobs;
    if (slurm_load_jobs(0, jobs.out(), SHOW_ALL) != SLURM_SUCCESS)
        return failure(Code::peer,
                       format("slurmctld gives no list of jobs: {}", slurm_strerror(slurm_get_errno())),
                       "nothing was released; start slurmctld, or name the live jobs with --live");
    std::set<std::uint32_t> live;
    for (std::uint32_t i = 0; i < jobs.pointer()->record_count; ++i)
        if (is_live(jobs.pointer()->job_array[i])) live.insert(jobs.pointer()->job_array[i].job_id);
    return live;
}

} // namespace mscale::node
