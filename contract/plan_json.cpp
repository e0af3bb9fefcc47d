#include "contract/plan.hpp"

#include "base/json.hpp"
#include "hal/json_reader.hpp"

namespace mscale::contract {
namespace {

using hal::JsonReader;

template <class T> Json json_or_null(const std::optional<T>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

Json page_json(const PagePlan& pages)
{
    return {{"page_bytes", pages.page_bytes}, {"count", pages.count}, {"numa", pages.numa}};
}

Result<PagePlan> read_pages(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    PagePlan pages;
    reader.read("page_bytes", pages.page_bytes);
    reader.read("count", pages.count);
    reader.read("numa", pages.numa);
    return reader.end(pages);
}

/// A role holds pages of one size on one node or none: a list of at most one, so that readers treat it as Plan::pages.
Json role_json(const RolePlan& role)
{
    Json pages = Json::array();
    if (role.pages) pages.push_back(page_json(*role.pages));
    return {{"name", role.name},
            {"cpus", to_string(role.cpus)},
            {"numa", json_or_null(role.numa)},
            {"pages", pages},
            {"disk", role.disk},
            {"io_depth", json_or_null(role.io_depth)},
            {"gpu", json_or_null(role.gpu)},
            {"gpu_pci", role.gpu_pci}};
}

Result<RolePlan> read_role(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    RolePlan role;
    std::vector<PagePlan> pages;
    reader.read("name", role.name);
    reader.read("cpus", role.cpus);
    reader.read("numa", role.numa);
    reader.read_each("pages", pages, read_pages);
    reader.read("disk", role.disk);
    if (json.contains("io_depth")) reader.read("io_depth", role.io_depth); // the ledger of a job from before an update has none
    reader.read("gpu", role.gpu);
    reader.read("gpu_pci", role.gpu_pci);
    if (!pages.empty()) role.pages = pages.front();
    return reader.end(std::move(role));
}

Json worker_json(const WorkerPlan& worker)
{
    Json roles = Json::array();
    for (const RolePlan& role : worker.roles) roles.push_back(role_json(role));
    return {{"index", worker.index}, {"gpu", json_or_null(worker.gpu)}, {"gpu_pci", worker.gpu_pci},
            {"sms", worker.sms},     {"chunks", worker.chunks},         {"main", to_string(worker.main)},
            {"roles", roles}};
}

Result<WorkerPlan> read_worker(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    WorkerPlan worker;
    reader.read("index", worker.index);
    reader.read("gpu", worker.gpu);
    reader.read("gpu_pci", worker.gpu_pci);
    reader.read("sms", worker.sms);
    reader.read("chunks", worker.chunks);
    reader.read("main", worker.main);
    reader.read_each("roles", worker.roles, read_role);
    return reader.end(std::move(worker));
}

} // namespace

Json to_json(const Plan& plan)
{
    Json workers = Json::array();
    for (const WorkerPlan& worker : plan.workers) workers.push_back(worker_json(worker));
    Json pages = Json::array();
    for (const PagePlan& total : plan.pages) pages.push_back(page_json(total));
    return {{"workers", workers},    {"pages", pages},
            {"ports", plan.ports},   {"cores_per_worker", plan.cores_per_worker},
            {"chunks", plan.chunks}, {"unenforced", plan.unenforced},
            {"notes", plan.notes}};
}

Result<Plan> plan_from_json(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    Plan plan;
    reader.read_each("workers", plan.workers, read_worker);
    reader.read_each("pages", plan.pages, read_pages);
    reader.read("ports", plan.ports);
    reader.read("cores_per_worker", plan.cores_per_worker);
    reader.read("chunks", plan.chunks);
    reader.read("unenforced", plan.unenforced);
    reader.read("notes", plan.notes);
    return reader.end(std::move(plan));
}

} // namespace mscale::contract
