#include "submit/job_description.hpp"

#include <algorithm>
#include <ctime>
#include <set>
#include <type_traits>

#include "base/text.hpp"
#include "submit/host_list.hpp"
#include "submit/node_list.hpp"
#include "submit/slurm_abi.hpp"

namespace mscale::submit {

namespace {

std::string text_of(const char* field)
{
    return field ? field : "";
}

std::optional<std::string> given_text(const char* field)
{
    return field ? std::optional<std::string>(field) : std::nullopt;
}

std::optional<std::uint32_t> given(std::uint32_t value) noexcept
{
    return value == NO_VAL ? std::nullopt : std::optional(value);
}

std::optional<std::uint16_t> given(std::uint16_t value) noexcept
{
    return value == NO_VAL16 ? std::nullopt : std::optional(value);
}

/// Slurm's clients leave a count that nobody asked at 0 or at NO_VAL16.
std::optional<std::uint16_t> given_count(std::uint16_t value)
{
    return value == 0 ? std::nullopt : given(value);
}

std::optional<bool> given_flag(std::uint16_t value) noexcept
{
    return value == NO_VAL16 ? std::nullopt : std::optional(value != 0);
}

/// Each name once: every one of them costs a look at the inventory.
std::vector<std::string> split_names(const char* field)
{
    std::vector<std::string> names;
    std::set<std::string_view> seen;
    if (!field) return names;
    for (const std::string_view part : split(field, ','))
        if (const std::string_view name = trim(part); !name.empty() && seen.insert(name).second)
            names.emplace_back(name);
    return names;
}

std::vector<std::string> expand_once(const char* field)
{
    std::vector<std::string> names = expand_hosts(field);
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

std::optional<std::string> find_other_tres(const job_desc_msg_t& job)
{
    std::optional<std::string> together;
    for (const char* tres : {job.tres_per_job, job.tres_per_socket, job.tres_per_task})
        if (tres) together = together ? *together + "," + tres : tres;
    return together;
}

void release_entry(char* entry)
{
    slurm_xfree(reinterpret_cast<void**>(&entry));
}

template <class T> T* allocate(std::size_t count)
{
    return static_cast<T*>(slurm_xcalloc(count, sizeof(T), true, false, __FILE__, __LINE__, __func__));
}

void add_entry(char**& entries, std::uint32_t& size, const std::string& entry)
{
    const std::uint32_t count = entries ? size : 0;
    char** const larger = allocate<char*>(count + 2);
    for (std::uint32_t i = 0; i < count; ++i) larger[i] = entries[i];
    larger[count] = slurm_xstrdup(entry.c_str());
    slurm_xfree(reinterpret_cast<void**>(&entries));
    entries = larger;
    size = count + 1;
}

/// A batch script carries that it has a contract, so that a node which knows nothing of it refuses the task. The plugin
/// takes it out of the tasks' own environment; srun and salloc bring the client's copy.
void mark_environment(job_desc_msg_t& job, const Decision& decision)
{
    const bool is_enforced = decision.verified && decision.verified->mode == contract::Mode::enforce;
    if (!is_enforced || !job.environment || job.env_size == 0) return;
    add_entry(job.environment, job.env_size, format("SLURM_SPANK_{}=verified", contract::request_name));
}

/// As sbatch does for --ntasks-per-node: an srun of the script reads the variable, and would else pile tasks up.
void write_spread(job_desc_msg_t& job, const Decision& decision)
{
    if (!decision.tasks_per_node) return;
    job.ntasks_per_node = *decision.tasks_per_node;
    if (job.environment && job.env_size > 0)
        add_entry(job.environment, job.env_size, format("SLURM_NTASKS_PER_NODE={}", *decision.tasks_per_node));
}

} // namespace

void set_text(char*& field, const std::string& text)
{
    slurm_xfree(reinterpret_cast<void**>(&field));
    field = slurm_xstrdup(text.c_str());
}

Variables variables_of(job_desc_msg_t& job)
{
    return {job.spank_job_env, &job.spank_job_env_size, release_entry};
}

Variables environment_of(job_desc_msg_t& job)
{
    return {job.environment, &job.env_size, release_entry};
}

std::string find_node_list_fault(const job_desc_msg_t& job)
{
    std::string fault = find_list_fault("--nodelist", job.req_nodes);
    return fault.empty() ? find_list_fault("--exclude", job.exc_nodes) : fault;
}

JobRequest read_request(const job_desc_msg_t& job)
{
    JobRequest request;
    request.uid = job.user_id;
    request.time = std::time(nullptr);
    request.has_script = job.script != nullptr;
    request.partitions = split_names(job.partition);
    request.required_nodes = expand_once(job.req_nodes);
    request.excluded_nodes = expand_once(job.exc_nodes);
    request.min_nodes = given(job.min_nodes);
    request.max_nodes = given(job.max_nodes);
    request.tasks = given(job.num_tasks);
    request.min_cpus = given(job.min_cpus);
    request.max_cpus = given(job.max_cpus);
    request.tasks_per_node = given_count(job.ntasks_per_node);
    request.cpus_per_task = given_count(job.cpus_per_task);
    request.requeue = given_flag(job.requeue);
    request.warning = given_count(job.warn_time);
    request.tres_per_node = text_of(job.tres_per_node);
    request.other_tres = find_other_tres(job).value_or("");
    request.gres_prefix = SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0) ? "gres:" : "gres/";
    request.admin_comment = text_of(job.admin_comment);
    return request;
}

void write_decision(job_desc_msg_t& job, const Decision& decision, const std::string& sealed)
{
    if (!sealed.empty())
        add_entry(job.spank_job_env, job.spank_job_env_size, format("{}={}", contract::verified_name, sealed));
    mark_environment(job, decision);
    write_spread(job, decision);
    if (decision.admin_comment) set_text(job.admin_comment, *decision.admin_comment);
    if (decision.tres_per_node) set_text(job.tres_per_node, *decision.tres_per_node);
    if (decision.cpus_per_task) job.cpus_per_task = *decision.cpus_per_task;
    if (decision.min_cpus) job.min_cpus = *decision.min_cpus;
    if (decision.max_cpus) job.max_cpus = *decision.max_cpus;
    if (!decision.exclude.empty()) set_text(job.exc_nodes, join_hosts(job.exc_nodes, decision.exclude));
    if (decision.min_nodes) job.min_nodes = *decision.min_nodes;
    if (decision.max_nodes) job.max_nodes = *decision.max_nodes;
    if (decision.keep_on_node_fail) job.kill_on_node_fail = 0;
    if (decision.requeue) job.requeue = 1;
}

bool touches_contract(const job_desc_msg_t& job) noexcept
{
    const bool names_resources =
        job.tres_per_node || job.tres_per_job || job.tres_per_socket || job.tres_per_task;
    const bool names_places = job.partition || job.exc_nodes || job.req_nodes;
    return names_resources || names_places || given(job.min_nodes) || given(job.max_nodes) ||
           given(job.num_tasks) || given(job.min_cpus) || given(job.cpus_per_task) ||
           given(job.ntasks_per_node) || given(job.pn_min_cpus) || given_flag(job.requeue);
}

Result<JobChange> read_change(const job_desc_msg_t& job)
{
    if (std::string fault = find_list_fault("excnodelist", job.exc_nodes); !fault.empty())
        return failure(Code::node_list, std::move(fault));
    JobChange change;
    change.tres_per_node = given_text(job.tres_per_node);
    change.other_tres = find_other_tres(job);
    change.min_nodes = given(job.min_nodes);
    change.max_nodes = given(job.max_nodes);
    change.tasks = given(job.num_tasks);
    change.min_cpus = given(job.min_cpus);
    change.cpus_per_task = given(job.cpus_per_task);
    change.tasks_per_node = given(job.ntasks_per_node);
    change.cpus_per_node = given(job.pn_min_cpus);
    change.required_nodes = given_text(job.req_nodes);
    change.requeue = given_flag(job.requeue);
    change.partition = given_text(job.partition);
    if (job.exc_nodes) change.excluded_nodes = expand_once(job.exc_nodes);
    return change;
}

} // namespace mscale::submit
