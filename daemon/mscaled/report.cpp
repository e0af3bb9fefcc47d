#include "daemon/mscaled/report.hpp"

#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "daemon/mscaled/survey.hpp"

namespace mscale::daemon {

namespace {

using contract::OnBreach;
using contract::Stage;

constexpr std::size_t refusals_sent = 16;
constexpr std::array<std::string_view, 5> stage_words = {"planned", "applied", "refused", "releasing",
                                                         "released"};
constexpr std::array<std::string_view, 3> breach_words = {"fail", "requeue", "warn"};

std::optional<OnBreach> parse_on_breach(std::string_view word)
{
    const auto found = std::find(breach_words.begin(), breach_words.end(), word);
    if (found == breach_words.end()) return std::nullopt;
    return static_cast<OnBreach>(found - breach_words.begin());
}

Json refusals_to_json(const std::vector<contract::Refusal>& refusals)
{
    Json list = Json::array();
    for (const contract::Refusal& refusal : refusals) list.push_back(contract::to_json(refusal));
    return list;
}

Result<std::vector<contract::Refusal>> refusals_from_json(const Json& list, const std::string& what)
{
    std::vector<contract::Refusal> refusals;
    for (const Json& entry : list) {
        auto refusal = contract::refusal_from_json(entry, what);
        if (!refusal) return tl::unexpected(refusal.error());
        refusals.push_back(std::move(*refusal));
    }
    return refusals;
}

/// Reads one member into `target`; the first error of several is kept.
template <class T>
void read_into(Result<void>& status, T& target, const Json& json, const char* key, const std::string& what)
{
    auto value = read_member<T>(json, key, what);
    if (value)
        target = std::move(*value);
    else if (status)
        status = tl::unexpected(value.error());
}

Result<void> read_plain(Report& report, const Json& json, const std::string& what)
{
    Result<void> status;
    read_into(status, report.job_id, json, "job", what);
    read_into(status, report.uid, json, "uid", what);
    read_into(status, report.restarts, json, "restarts", what);
    read_into(status, report.started, json, "started", what);
    read_into(status, report.node, json, "node", what);
    read_into(status, report.nodes, json, "nodes", what);
    read_into(status, report.observe, json, "observe", what);
    read_into(status, report.refused_step, json, "refused_step", what);
    read_into(status, report.unenforced, json, "unenforced", what);
    read_into(status, report.chunks, json, "chunks", what);
    return status;
}

Result<void> read_kept(KeptState& kept, const Json& json, const std::string& what)
{
    Result<void> status;
    read_into(status, kept.first_save, json, "first_save", what);
    read_into(status, kept.registered, json, "registered", what);
    read_into(status, kept.saved, json, "saved", what);
    read_into(status, kept.committed, json, "committed", what);
    read_into(status, kept.spilled, json, "spilled", what);
    read_into(status, kept.spill_fault, json, "spill_fault", what);
    read_into(status, kept.exposed, json, "exposed", what);
    read_into(status, kept.short_grace, json, "short_grace", what);
    read_into(status, kept.step_began, json, "step_began", what);
    read_into(status, kept.step_ended, json, "step_ended", what);
    return status;
}

Result<void> read_words(Report& report, const Json& json, const std::string& what)
{
    std::string stage, action;
    Result<void> status;
    read_into(status, stage, json, "stage", what);
    read_into(status, action, json, "on_breach", what);
    if (!status) return status;
    const auto read_stage = parse_stage(stage);
    const auto read_action = parse_on_breach(action);
    if (!read_stage || !read_action) return failure(Code::json_member, what + ": unknown stage or on_breach");
    report.stage = *read_stage;
    report.on_breach = *read_action;
    return {};
}

Json lost_to_json(const std::vector<LostPart>& lost)
{
    Json list = Json::array();
    for (const LostPart& part : lost) list.push_back(to_json(part));
    return list;
}

Result<std::vector<LostPart>> read_lost(const Json& json, const std::string& what)
{
    const auto list = read_member<Json>(json, "lost", what);
    if (!list) return tl::unexpected(list.error());
    std::vector<LostPart> lost;
    for (const Json& entry : *list) {
        auto part = lost_part_from_json(entry, what);
        if (!part) return tl::unexpected(part.error());
        lost.push_back(std::move(*part));
    }
    return lost;
}

} // namespace

std::string_view to_string(Stage stage)
{
    return stage_words[static_cast<std::size_t>(stage)];
}

std::optional<Stage> parse_stage(std::string_view word)
{
    const auto found = std::find(stage_words.begin(), stage_words.end(), word);
    if (found == stage_words.end()) return std::nullopt;
    return static_cast<Stage>(found - stage_words.begin());
}

const contract::StepRecord* find_refused_step(const contract::LedgerRecord& record)
{
    if (record.observe || !record.refusals.empty()) return nullptr;
    const auto found = std::find_if(record.steps.begin(), record.steps.end(),
                                    [](const contract::StepRecord& step) { return !step.refusals.empty(); });
    return found == record.steps.end() ? nullptr : &*found;
}

Report make_report(const contract::LedgerRecord& record, const std::string& node,
                   const std::optional<Breach>& breach, OnBreach on_breach)
{
    Report report;
    report.job_id = record.job_id;
    report.uid = record.uid;
    report.restarts = record.restart_count;
    report.started = record.started;
    report.node = node;
    report.nodes = record.nodes;
    report.stage = record.stage;
    report.observe = record.observe;
    const contract::StepRecord* const step = find_refused_step(record);
    report.refusals = step ? step->refusals : record.refusals;
    if (step) report.refused_step = step_name(step->step_id);
    if (report.refusals.size() > refusals_sent) report.refusals.resize(refusals_sent);
    report.unenforced = record.plan.unenforced;
    report.breach = breach;
    report.on_breach = on_breach;
    report.chunks = record.plan.chunks;
    return report;
}

Json to_json(const Report& report)
{
    Json json{{"job", report.job_id},
              {"uid", report.uid},
              {"restarts", report.restarts},
              {"started", report.started},
              {"node", report.node},
              {"nodes", report.nodes},
              {"stage", to_string(report.stage)},
              {"observe", report.observe},
              {"refused_step", report.refused_step},
              {"unenforced", report.unenforced},
              {"chunks", report.chunks},
              {"first_save", report.kept.first_save},
              {"registered", report.kept.registered},
              {"saved", report.kept.saved},
              {"committed", report.kept.committed},
              {"spilled", report.kept.spilled},
              {"spill_fault", report.kept.spill_fault},
              {"exposed", report.kept.exposed},
              {"short_grace", report.kept.short_grace},
              {"step_began", report.kept.step_began},
              {"step_ended", report.kept.step_ended},
              {"on_breach", breach_words[static_cast<std::size_t>(report.on_breach)]},
              {"lost", lost_to_json(report.lost)},
              {"refusals", refusals_to_json(report.refusals)}};
    if (report.breach) json["breach"] = report.breach->fields;
    return json;
}

Result<Report> report_from_json(const Json& json, const std::string& what)
{
    Report report;
    if (auto status = read_plain(report, json, what); !status) return tl::unexpected(status.error());
    if (auto status = read_words(report, json, what); !status) return tl::unexpected(status.error());
    if (auto status = read_kept(report.kept, json, what); !status) return tl::unexpected(status.error());
    auto list = read_member<Json>(json, "refusals", what);
    auto refusals = list ? refusals_from_json(*list, what) : tl::unexpected(list.error());
    if (!refusals) return tl::unexpected(refusals.error());
    report.refusals = std::move(*refusals);
    auto lost = read_lost(json, what);
    if (!lost) return tl::unexpected(lost.error());
    report.lost = std::move(*lost);
    if (!json.contains("breach")) return report;
    auto fields = read_member<decltype(Breach::fields)>(json, "breach", what);
    if (!fields) return tl::unexpected(fields.error());
    report.breach = Breach{std::move(*fields)};
    return report;
}

} // namespace mscale::daemon
