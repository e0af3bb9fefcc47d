#include "daemon/failure/node_down.hpp"

#include <algorithm>
#include <ctime>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "base/handle.hpp"
#include "base/text.hpp"
#include "daemon/failure/policy.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"

namespace mscale::daemon {

namespace {

using NodeMessage = Handle<node_info_msg_t*, slurm_free_node_info_msg>;
using JobMessage = Handle<job_info_msg_t*, slurm_free_job_info_msg>;
using LicenseMessage = Handle<license_info_msg_t*, slurm_free_license_info_msg>;

constexpr std::time_t hour = 3600;

tl::unexpected<Error> slurm_failure(const std::string& what)
{
    return failure(Code::node_act, what + ": " + slurm_strerror(slurm_get_errno()));
}

bool is_down(const node_info_t& node)
{
    return (node.node_state & NODE_STATE_BASE) == NODE_STATE_DOWN;
}

bool was_set_down(const node_info_t& node, std::time_t now)
{
    return node.reason && node.reason_time > now - hour && is_down_reason(node.reason);
}

/// What one node is, to slurmctld.
struct NodeState {
    bool down = false;
    bool by_mscale = false;
};

/// Reads the state of all nodes: what this one is, and how many of them mscale has set DOWN.
Result<NodeState> read_nodes(const std::string& name, DownFacts& facts)
{
    NodeMessage message;
    if (slurm_load_node(0, message.out(), SHOW_ALL) != SLURM_SUCCESS)
        return slurm_failure("asking slurmctld for its nodes");
    const std::time_t now = std::time(nullptr);
    NodeState state;
    for (std::uint32_t i = 0; i < message.pointer()->record_count; ++i) {
        const node_info_t& node = message.pointer()->node_array[i];
        if (!node.name) continue;
        if (was_set_down(node, now)) ++facts.set_down_before;
        if (name == node.name) state = {is_down(node), node.reason && is_down_reason(node.reason)};
    }
    return state;
}

bool holds_nodes(const slurm_job_info_t& job)
{
    const std::uint32_t base = job.job_state & JOB_STATE_BASE;
    return base == JOB_RUNNING || base == JOB_SUSPENDED || (job.job_state & JOB_COMPLETING) != 0;
}

/// The parts of a heterogeneous job are one job.
bool is_same_job(const slurm_job_info_t& job, std::uint32_t job_id, std::uint32_t leader)
{
    return job.job_id == job_id || (leader != 0 && job.het_job_id == leader);
}

std::uint32_t find_leader(const job_info_msg_t& jobs, std::uint32_t job_id)
{
    for (std::uint32_t i = 0; i < jobs.record_count; ++i)
        if (jobs.job_array[i].job_id == job_id) return jobs.job_array[i].het_job_id;
    return 0;
}

Result<void> read_jobs(const Burial& burial, DownFacts& facts)
{
    JobMessage message;
    if (slurm_load_jobs(0, message.out(), SHOW_ALL) != SLURM_SUCCESS)
        return slurm_failure("asking slurmctld for its jobs");
    const job_info_msg_t& jobs = *message.pointer();
    const std::uint32_t leader = find_leader(jobs, burial.job_id);
    for (std::uint32_t i = 0; i < jobs.record_count; ++i) {
        const slurm_job_info_t& job = jobs.job_array[i];
        if (!holds_nodes(job) || is_same_job(job, burial.job_id, leader)) continue;
        const auto nodes = expand_nodes(job.nodes);
        if (std::ranges::find(nodes, burial.node) != nodes.end()) facts.other_jobs.push_back(job.job_id);
    }
    return {};
}

Result<void> update_node(const Burial& burial)
{
    std::string name = burial.node, reason = burial.reason; // libslurm takes a char* and doesn't write to it
    update_node_msg_t update;
    slurm_init_update_node_msg(&update);
    update.node_names = name.data();
    update.node_state = NODE_STATE_DOWN;
    update.reason = reason.data();
    update.reason_uid = 0;
    if (slurm_update_node(&update) == SLURM_SUCCESS) return {};
    return slurm_failure(format("setting {} DOWN", burial.node));
}

} // namespace

Result<DownOutcome> set_down(const Burial& burial, const contract::Site& site)
{
    DownFacts facts{{}, 0, burial.controller};
    const auto state = read_nodes(burial.node, facts);
    if (!state) return tl::unexpected(state.error());
    if (state->down) return DownOutcome{std::nullopt, state->by_mscale};
    // Only `own` asks for the jobs: their list may be long.
    if (site.set_down == contract::SetDown::own)
        if (auto read = read_jobs(burial, facts); !read) return tl::unexpected(std::move(read.error()));
    if (auto objection = find_objection(site, facts)) return DownOutcome{std::move(objection), false};
    if (auto updated = update_node(burial); !updated) return tl::unexpected(std::move(updated.error()));
    return DownOutcome{std::nullopt, true};
}

Result<bool> is_node_down(const std::string& node)
{
    NodeMessage message;
    std::string name = node; // libslurm takes a char* and doesn't write to it
    if (slurm_load_node_single(message.out(), name.data(), SHOW_ALL) != SLURM_SUCCESS)
        return slurm_failure(format("asking slurmctld for {}", node));
    const node_info_msg_t& nodes = *message.pointer();
    return nodes.record_count > 0 && nodes.node_array[0].name && is_down(nodes.node_array[0]);
}

bool reaches_slurmctld()
{
    LicenseMessage message;
    return slurm_load_licenses(0, message.out(), SHOW_ALL) == SLURM_SUCCESS;
}

} // namespace mscale::daemon
