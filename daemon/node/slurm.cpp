#include "daemon/node/slurm.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

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

bool holds_nodes(const job_info_t& job)
{
    const std::uint32_t base = job.job_state & JOB_STATE_BASE;
    return (base == JOB_RUNNING || base == JOB_SUSPENDED) && (job.job_state & JOB_COMPLETING) == 0;
}

std::string own_name(const std::string& node)
{
    char host[256] = {};
    if (!node.empty() || ::gethostname(host, sizeof host - 1) != 0) return node;
    return std::string(host, std::strcspn(host, "."));
}

Result<RunHere> read_run(const job_info_t& job, const std::string& node, const std::string& gres)
{
    RunHere run{job.user_id, job.restart_cnt, expand_host_list(job.nodes ? job.nodes : ""), {}};
    const auto here = std::ranges::find(run.nodes, own_name(node));
    if (!holds_nodes(job) || here == run.nodes.end())
        return failure(Code::no_such_job, format("job {} doesn't hold this node", job.job_id));
    const auto place = static_cast<std::size_t>(here - run.nodes.begin());
    if (place >= job.gres_detail_cnt || !job.gres_detail_str[place]) return run;
    auto slices = read_gres_indices(job.gres_detail_str[place], gres);
    if (!slices) return tl::unexpected(slices.error());
    run.sm_slices = std::move(*slices);
    return run;
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

Result<RunHere> load_run(std::uint32_t job_id, const std::string& node, const std::string& gres)
{
    slurm_init(nullptr);
    Jobs jobs;
    if (slurm_load_job(jobs.out(), job_id, SHOW_ALL | SHOW_DETAIL) != SLURM_SUCCESS)
        return failure(Code::peer, format("slurmctld doesn't tell of job {}: {}", job_id,
                                          slurm_strerror(slurm_get_errno())));
    for (std::uint32_t i = 0; i < jobs.pointer()->record_count; ++i)
        if (const job_info_t& job = jobs.pointer()->job_array[i]; job.job_id == job_id)
            return read_run(job, node, gres);
    return failure(Code::no_such_job, format("slurmctld knows no job {}", job_id));
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
