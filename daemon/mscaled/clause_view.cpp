#include "daemon/mscaled/clause_view.hpp"

#include "base/text.hpp"
#include "contract/clauses.hpp"

namespace mscale::daemon {

namespace {

/// The role's place in each worker of the job's steps; in the node's plan before the first step.
std::vector<contract::RolePlan> places_of(const LocalJob& job, const std::string& role)
{
    std::vector<contract::RolePlan> places;
    const auto take = [&](const contract::Plan& plan) {
        for (const contract::WorkerPlan& worker : plan.workers) {
            for (const contract::RolePlan& place : worker.roles) {
                if (place.name == role) places.push_back(place);
            }
        }
    };
    for (const contract::StepRecord& step : job.record.steps) take(step.plan);
    if (places.empty()) take(job.record.plan);
    return places;
}

std::string granted_cores(const LocalJob& job, const std::string& role)
{
    CpuSet cpus;
    for (const contract::RolePlan& place : places_of(job, role)) cpus = cpus | place.cpus;
    return to_string(cpus);
}

std::string found_cores(const LocalJob& job, const std::string& role)
{
    CpuSet cpus;
    for (const ProcessFinding& finding : job.findings.processes) {
        if (finding.promised.role == role) cpus = cpus | found_cpus(finding);
    }
    return to_string(cpus);
}

std::string granted_pages(const LocalJob& job, const std::string& role)
{
    std::vector<std::string> parts;
    for (const contract::RolePlan& place : places_of(job, role)) {
        if (!place.pages) continue;
        parts.push_back(format("{} on node {}", place.pages->count, place.pages->numa));
    }
    return join(parts, ", ");
}

std::string found_pages(const LocalJob& job)
{
    std::vector<std::string> parts;
    for (const PageFinding& pages : job.findings.pages) {
        const std::string where = pages.numa ? format("on node {}", *pages.numa) : "in " + pages.mount;
        parts.push_back(format("{} {}", pages.found, where));
    }
    return join(parts, ", ");
}

std::string granted_sms(const LocalJob& job)
{
    std::vector<std::string> parts;
    for (const contract::WorkerPlan& worker : job.record.plan.workers) {
        if (worker.chunks > 0) parts.push_back(format("{} SMs in {} slices", worker.sms, worker.chunks));
    }
    return join(parts, ", ");
}

void fill(ClauseView& view, const contract::Clause& clause, const std::string& role, const LocalJob& job)
{
    if (clause.section == "gpu" && clause.key == "sm") view.granted = granted_sms(job);
    if (clause.section != "role") return;
    if (clause.key == "cores") {
        view.granted = granted_cores(job, role);
        view.found = found_cores(job, role);
    } else if (clause.key == "hugepages") {
        view.granted = granted_pages(job, role);
        view.found = found_pages(job);
    }
}

} // namespace

std::vector<ClauseView> view_clauses(const contract::Contract& contract, const LocalJob& job)
{
    std::vector<ClauseView> views;
    const auto add = [&](const contract::Clause& clause, const std::string& section, const std::string& role,
                         const contract::Role* fields) {
        const std::string value = clause.write(contract, fields);
        if (value.empty()) return;
        ClauseView view{
            format("{}.{}", section, clause.key), value, {}, {}, clause.held != contract::Held::placed};
        fill(view, clause, role, job);
        views.push_back(std::move(view));
    };
    for (const contract::Clause& clause : contract::clause_table()) {
        if (clause.section != "role")
            add(clause, std::string(clause.section), {}, nullptr);
        else
            for (const auto& [name, role] : contract.roles) add(clause, "role." + name, name, &role);
    }
    return views;
}

} // namespace mscale::daemon
