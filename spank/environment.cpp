#include "spank/environment.hpp"

#include <cctype>

#include "base/text.hpp"

namespace mscale::spank {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

std::string upper(std::string_view name)
{
    std::string text(name);
    for (char& letter : text) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return text;
}

void describe_role(Variables& variables, const std::string& prefix, const contract::RolePlan& role,
                   const std::string& mounts)
{
    const std::string start = prefix + "ROLE_" + upper(role.name);
    variables.emplace_back(start + "_CPUS", to_string(role.cpus));
    if (role.numa) variables.emplace_back(start + "_NUMA", std::to_string(*role.numa));
    if (!role.disk.empty()) variables.emplace_back(start + "_DISK", role.disk.substr(0, role.disk.find(' ')));
    if (role.io_depth) variables.emplace_back(start + "_IO_DEPTH", std::to_string(*role.io_depth));
    if (!role.gpu_pci.empty()) variables.emplace_back(start + "_GPU", role.gpu_pci);
    if (!role.pages) return;
    variables.emplace_back(start + "_HUGEPAGES", format("{}/{}kB", mounts, role.pages->page_bytes / 1024));
    variables.emplace_back(start + "_HUGEPAGE_BYTES", std::to_string(role.pages->page_bytes));
    variables.emplace_back(start + "_HUGEPAGE_COUNT", std::to_string(role.pages->count));
}

void describe_worker(Variables& variables, const std::string& prefix, const contract::WorkerPlan& worker,
                     const std::string& mounts)
{
    if (!worker.gpu_pci.empty()) variables.emplace_back(prefix + "GPU", worker.gpu_pci);
    for (const auto& role : worker.roles) describe_role(variables, prefix, role, mounts);
}

} // namespace

TaskPlan plan_of_task(const contract::Plan& plan, unsigned tasks, unsigned local_id)
{
    TaskPlan task;
    if (tasks == 1)
        task.workers = plan.workers;
    else if (local_id < plan.workers.size())
        task.workers = {plan.workers[local_id]};
    for (const auto& worker : task.workers) task.cpus = task.cpus | worker.main;
    return task;
}

Variables describe_task(const TaskPlan& task, const std::string& mounts)
{
    const auto& first = task.workers.front();
    std::vector<std::string> names;
    for (const auto& role : first.roles) names.push_back(role.name);
    Variables variables = {{"MSCALE_WORKER", std::to_string(first.index)},
                           {"MSCALE_ROLES", join(names, ",")}};
    describe_worker(variables, "MSCALE_", first, mounts);
    if (task.workers.size() == 1) return variables;
    for (const auto& worker : task.workers)
        describe_worker(variables, format("MSCALE_WORKER_{}_", worker.index), worker, mounts);
    return variables;
}

bool is_stale(std::string_view entry)
{
    for (const std::string_view start :
         {"MSCALE_CONTRACT=", "MSCALE_JOB=", "MSCALE_KEEPER=", "MSCALE_GPU=", "MSCALE_ROLE", "MSCALE_WORKER", "SLURM_SPANK_MSCALE_",
          "SLURM_SPANK__SLURM_SPANK_OPTION_mscale_", "_SLURM_SPANK_OPTION_mscale_"})
        if (entry.starts_with(start)) return true;
    return false;
}

} // namespace mscale::spank
