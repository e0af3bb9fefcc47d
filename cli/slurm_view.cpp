#include "cli/slurm_view.hpp"

#include <array>
#include <cstdlib>
#include <functional>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/slurm_answer.hpp"
#include "cli/slurm_child.hpp"

namespace mscale::cli {
namespace {

std::string text_or_empty(const char* text)
{
    return text != nullptr ? text : "";
}

/// A backup that doesn't answer is known by the ping alone.
Json controllers(const slurm_conf_t& conf)
{
    Json list = Json::array();
    for (uint32_t i = 0; i < conf.control_cnt; ++i)
        list.push_back({{"name", text_or_empty(conf.control_machine[i])},
                        {"address", text_or_empty(conf.control_addr[i])},
                        {"answers", slurm_ping(static_cast<int>(i)) == SLURM_SUCCESS}});
    return list;
}

bool is_up(const node_info_t& node)
{
    const uint32_t base = node.node_state & NODE_STATE_BASE;
    const bool is_off = (node.node_state & (NODE_STATE_CLOUD | NODE_STATE_POWERED_DOWN)) != 0;
    return !is_off && (base == NODE_STATE_IDLE || base == NODE_STATE_ALLOCATED || base == NODE_STATE_MIXED);
}

/// Of SchedulerParameters; 3 s where it isn't said (man 5 slurm.conf).
unsigned read_sched_delay(const std::string& parameters)
{
    constexpr std::string_view name = "batch_sched_delay=";
    for (const std::string_view word : split(parameters, ','))
        if (trim(word).starts_with(name))
            return static_cast<unsigned>(parse_number(trim(word).substr(name.size())).value_or(3));
    return 3;
}

Json configuration()
{
    slurm_conf_t* conf = nullptr;
    if (slurm_load_ctl_conf(0, &conf) != SLURM_SUCCESS) return slurm_error();
    const Json json = {
        {"version", text_or_empty(conf->version)},
        {"plugin_dir", text_or_empty(conf->plugindir)},
        {"job_submit", text_or_empty(conf->job_submit_plugins)},
        {"gres_types", text_or_empty(conf->gres_plugins)},
        {"task_plugins", text_or_empty(conf->task_plugin)},
        {"counts_memory", (conf->select_type_param & CR_MEMORY) != 0},
        {"has_alloc", (conf->prolog_flags & PROLOG_FLAG_ALLOC) != 0},
        {"controllers", controllers(*conf)},
        {"conf_file", text_or_empty(conf->slurm_conf)},
        {"prolog_timeout", conf->prolog_epilog_timeout == NO_VAL16 ? 0 : conf->prolog_epilog_timeout},
        {"slurmd_timeout", conf->slurmd_timeout},
        {"sched_delay", read_sched_delay(text_or_empty(conf->sched_params))},
        {"preempts", text_or_empty(conf->preempt_type) != "preempt/none"},
        {"preempt_mode", conf->preempt_mode},
        {"kill_wait", conf->kill_wait}};
    slurm_free_ctl_conf(conf);
    return json;
}

Json nodes()
{
    Json list = Json::array();
    node_info_msg_t* message = nullptr;
    if (slurm_load_node(0, &message, SHOW_ALL) != SLURM_SUCCESS) return list;
    for (uint32_t i = 0; i < message->record_count; ++i) {
        const node_info_t& node = message->node_array[i];
        if (node.name == nullptr) continue;
        list.push_back(
            {{"name", node.name},
             {"address", text_or_empty(node.node_addr)},
             {"host", text_or_empty(node.node_hostname)},
             {"is_up", is_up(node)},
             {"memory", node.real_memory},
             {"spared", node.mem_spec_limit},
             {"shape", format("{} sockets, {} cores, {} threads, {} MiB, {}", node.sockets, node.cores,
                              node.threads, node.real_memory, text_or_empty(node.gres))}});
    }
    slurm_free_node_info_msg(message);
    return list;
}

/// A partition without a mode of its own has the cluster's.
std::string preemption_of(const partition_info_t& partition, const Json& configuration)
{
    const auto cluster = configuration.at("preempt_mode").get<uint16_t>();
    const uint16_t mode = partition.preempt_mode == NO_VAL16 ? cluster : partition.preempt_mode;
    if (!configuration.at("preempts").get<bool>()) return "off";
    if (mode & PREEMPT_MODE_CANCEL) return "cancel";
    if (mode & PREEMPT_MODE_REQUEUE) return "requeue";
    return mode & PREEMPT_MODE_SUSPEND ? "suspend" : "off";
}

Json partitions(const Json& configuration)
{
    Json list = Json::array();
    partition_info_msg_t* message = nullptr;
    if (slurm_load_partitions(0, &message, SHOW_ALL) != SLURM_SUCCESS) return list;
    for (uint32_t i = 0; i < message->record_count; ++i) {
        const partition_info_t& partition = message->partition_array[i];
        if (partition.name == nullptr) continue;
        list.push_back({{"name", partition.name},
                        {"nodes", list_host_names(partition.nodes)},
                        {"default", (partition.flags & PART_FLAG_DEFAULT) != 0},
                        {"preemption", preemption_of(partition, configuration)},
                        {"grace", partition.grace_time == NO_VAL ? 0 : partition.grace_time},
                        {"kill_wait", configuration.at("kill_wait")}});
    }
    slurm_free_partition_info_msg(message);
    return list;
}

Json everything()
{
    slurm_init(nullptr);
    Json view = configuration();
    if (view.contains("error")) return view;
    view["nodes"] = nodes();
    view["partitions"] = partitions(view);
    return view;
}

std::string state_name(uint32_t state)
{
    constexpr std::array<const char*, JOB_END> names = {
        "PENDING", "RUNNING",   "SUSPENDED", "COMPLETED", "CANCELLED", "FAILED",
        "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY"};
    const uint32_t base = state & JOB_STATE_BASE;
    return base < names.size() ? names[base] : "UNKNOWN";
}

Json job_json(const slurm_job_info_t& job)
{
    return {{"id", job.job_id},
            {"state", state_name(job.job_state)},
            {"nodes", text_or_empty(job.nodes)},
            {"admin_comment", text_or_empty(job.admin_comment)},
            {"is_running", (job.job_state & JOB_STATE_BASE) == JOB_RUNNING}};
}

/// {"job": null} where slurmctld knows no such job.  The number of an array names all its tasks: the one of that very
/// number is meant.
Json find_job(std::uint32_t id)
{
    slurm_init(nullptr);
    job_info_msg_t* message = nullptr;
    if (slurm_load_job(&message, id, SHOW_ALL) != SLURM_SUCCESS) {
        if (slurm_get_errno() == ESLURM_INVALID_JOB_ID) return {{"job", nullptr}};
        return slurm_error();
    }
    Json found = nullptr;
    for (uint32_t i = 0; i < message->record_count; ++i)
        if (found.is_null() || message->job_array[i].job_id == id) found = job_json(message->job_array[i]);
    slurm_free_job_info_msg(message);
    return {{"job", found}};
}

Result<Json> run_in_child(const std::function<Json()>& work, std::chrono::milliseconds limit = SlurmChild::patience)
{
    auto child = SlurmChild::start(work);
    if (!child) return tl::unexpected(std::move(child.error()));
    return child->wait(limit);
}

std::string directory_of(const std::string& path)
{
    return path.substr(0, path.rfind('/'));
}

SlurmView view_from(const Json& json)
{
    SlurmView view;
    view.version = json.at("version");
    view.plugin_dir = json.at("plugin_dir");
    view.job_submit_plugins = json.at("job_submit");
    view.gres_types = json.at("gres_types");
    view.task_plugins = json.at("task_plugins");
    view.counts_memory = json.at("counts_memory");
    view.has_alloc_flag = json.at("has_alloc");
    view.plugstack = directory_of(json.at("conf_file")) + "/plugstack.conf";
    view.prolog_timeout = json.at("prolog_timeout");
    view.slurmd_timeout = json.at("slurmd_timeout");
    view.sched_delay = json.at("sched_delay");
    for (const Json& controller : json.at("controllers"))
        view.controllers.push_back({controller.at("name"), controller.at("address"), controller.at("answers")});
    for (const Json& node : json.at("nodes"))
        view.nodes.push_back(
            {node.at("name"), node.at("shape"), node.at("address"), node.at("host"), node.at("is_up"),
             node.at("memory"), node.at("spared")});
    for (const Json& partition : json.at("partitions"))
        view.partitions.push_back({partition.at("name"), partition.at("nodes"), partition.at("default"),
                                   partition.at("preemption"), partition.at("grace").get<unsigned>(),
                                   partition.at("kill_wait").get<unsigned>()});
    return view;
}

} // namespace

Result<SlurmView> view_slurm(std::chrono::milliseconds limit)
{
    const auto json = run_in_child(everything, limit);
    if (!json) return tl::unexpected(json.error());
    if (json->contains("error"))
        return failure(Code::peer, "slurmctld doesn't answer: " + json->at("error").get<std::string>());
    return view_from(*json);
}

Result<std::optional<SlurmJob>> view_job(std::uint32_t id)
{
    const auto json = run_in_child([id] { return find_job(id); });
    if (!json) return tl::unexpected(json.error());
    if (json->contains("error"))
        return failure(Code::peer, "slurmctld doesn't answer: " + json->at("error").get<std::string>());
    const Json& job = json->at("job");
    if (job.is_null()) return std::nullopt;
    return SlurmJob{job.at("id"), job.at("state"), job.at("nodes"), job.at("admin_comment"),
                    job.at("is_running")};
}

Result<std::vector<std::string>> expand_host_list(const std::string& text)
{
    const auto json = run_in_child([&] { return Json{{"names", list_host_names(text.c_str())}}; });
    if (!json) return tl::unexpected(json.error());
    auto names = json->at("names").get<std::vector<std::string>>();
    if (names.empty()) return failure(Code::usage, format("'{}' is no host list", printable(text)));
    return names;
}

} // namespace mscale::cli
