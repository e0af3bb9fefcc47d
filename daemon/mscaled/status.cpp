#include "daemon/mscaled/status.hpp"

#include <set>

#include "base/json.hpp"
#include "base/text.hpp"
#include "contract/parse.hpp"
#include "daemon/mscaled/clause_view.hpp"
#include "daemon/mscaled/survey.hpp"

namespace mscale::daemon {

namespace {

Json clauses_of(const LocalJob& job, const std::string& profiles)
{
    const auto parsed =
        contract::parse_contract(job.record.contract, "ledger", contract::ProfileDirectory(profiles));
    Json list = Json::array();
    for (const ClauseView& view : view_clauses(parsed.contract, job)) {
        list.push_back({{"clause", view.clause},
                        {"promised", view.promised},
                        {"granted", view.granted},
                        {"found", view.found},
                        {"enforced", view.enforced}});
    }
    return list;
}

Json processes_of(const LocalJob& job)
{
    Json list = Json::array();
    for (const ProcessFinding& finding : job.findings.processes) {
        list.push_back({{"pid", finding.promised.process.pid},
                        {"step", finding.promised.step_id},
                        {"task", finding.promised.local_id},
                        {"role", finding.promised.role},
                        {"promised", to_string(finding.promised.cpus)},
                        {"found", to_string(found_cpus(finding))}});
    }
    return list;
}

Json pages_of(const LocalJob& job)
{
    Json list = Json::array();
    for (const PageFinding& pages : job.findings.pages) {
        Json entry{{"page_bytes", pages.page_bytes}};
        if (pages.numa)
            entry["numa"] = *pages.numa;
        else
            entry["mount"] = pages.mount;
        entry["promised"] = pages.promised;
        entry["found"] = pages.found;
        list.push_back(std::move(entry));
    }
    return list;
}

/// Those of the job, else those of the step that was refused.
Json refusals_of(const contract::LedgerRecord& record)
{
    Json list = Json::array();
    for (const contract::Refusal& refusal : record.refusals) list.push_back(contract::to_json(refusal));
    const contract::StepRecord* const step = find_refused_step(record);
    if (!step) return list;
    for (contract::Refusal refusal : step->refusals) {
        refusal.reason = format("step {}: {}", step_name(step->step_id), refusal.reason);
        list.push_back(contract::to_json(refusal));
    }
    return list;
}

Json breach_of(const Breach& breach)
{
    Json json = Json::object();
    for (const auto& [key, value] : breach.fields) json[key] = value;
    return json;
}

Json node_of(const LocalJob& job, const std::string& node, const std::string& profiles)
{
    Json json{{"node", node},
              {"stage", to_string(job.record.stage)},
              {"observe", job.record.observe},
              {"refusals", refusals_of(job.record)}};
    if (job.breach) json["breach"] = breach_of(*job.breach);
    for (const LostPart& lost : job.parts.lost()) json["lost"].push_back(to_json(lost));
    json["clauses"] = clauses_of(job, profiles);
    json["processes"] = processes_of(job);
    json["pages"] = pages_of(job);
    return json;
}

void add_silent_nodes(Json& job)
{
    std::set<std::string> heard;
    for (const Json& node : job["nodes"]) heard.insert(node.value("node", ""));
    for (const Json& name : job["silent"]) {
        if (heard.contains(name.get<std::string>())) continue;
        job["nodes"].push_back({{"node", name}, {"stage", "silent"}});
    }
}

} // namespace

Json status_of(const LocalJob& job, const std::string& node, const std::string& profiles)
{
    return {{"job", job.record.job_id},
            {"uid", job.record.uid},
            {"state", ""},
            {"comment", ""},
            {"writer", ""},
            {"restarts", job.record.restart_count},
            {"contract", job.record.contract},
            {"unenforced", job.record.plan.unenforced},
            {"silent", Json::array()},
            {"nodes", Json::array({node_of(job, node, profiles)})}};
}

void add_state(Json& job, const ContractState& state, const Judgement& judgement, const std::string& writer)
{
    job["job"] = state.job_id();
    job["uid"] = state.uid();
    job["state"] = contract::to_string(judgement.comment.state);
    job["comment"] = contract::to_string(judgement.comment);
    job["writer"] = writer;
    job["silent"] = state.missing();
    if (!job.contains("nodes")) job["nodes"] = Json::array();
}

Json merge_status(const std::vector<Json>& parts)
{
    Json whole;
    Json nodes = Json::array();
    for (const Json& part : parts) {
        if (!part.is_object()) continue;
        const auto theirs = part.find("nodes");
        if (theirs != part.end() && theirs->is_array())
            nodes.insert(nodes.end(), theirs->begin(), theirs->end());
        const bool writes = part.value("writer", "") != "";
        if (whole.is_null())
            whole = part;
        else if (writes)
            whole.update(part);
    }
    if (whole.is_null()) return whole;
    whole["nodes"] = std::move(nodes);
    if (whole.contains("silent")) add_silent_nodes(whole);
    return whole;
}

} // namespace mscale::daemon
