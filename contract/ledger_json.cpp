#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "base/text.hpp"
#include "contract/ledger.hpp"
#include "hal/json_reader.hpp"

namespace mscale::contract {
namespace {

using hal::JsonReader;

constexpr unsigned ledger_version = 1;
constexpr std::array<std::string_view, 5> stages = {"planned", "applied", "refused", "releasing", "released"};

template <class T> Json list_json(const std::vector<T>& items)
{
    Json list = Json::array();
    for (const T& item : items) list.push_back(to_json(item));
    return list;
}

Json to_json(const Act& act)
{
    return {{"kind", act.kind},
            {"page_bytes", act.page_bytes},
            {"count", act.count},
            {"numa", act.numa},
            {"path", act.path}};
}

Result<Act> read_act(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    Act act;
    reader.read("kind", act.kind);
    reader.read("page_bytes", act.page_bytes);
    reader.read("count", act.count);
    reader.read("numa", act.numa);
    reader.read("path", act.path);
    return reader.end(std::move(act));
}

Json acts_json(const std::vector<Act>& acts)
{
    Json list = Json::array();
    for (const Act& act : acts) list.push_back(to_json(act));
    return list;
}

Result<ProcessId> process_from_json(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    std::uint32_t pid = 0;
    ProcessId process;
    reader.read("pid", pid);
    reader.read("start_time", process.start_time);
    process.pid = static_cast<pid_t>(pid);
    return reader.end(process);
}

Result<Stage> stage_of(const std::string& word, const std::string& what)
{
    const auto at = std::ranges::find(stages, word);
    if (at != stages.end()) return static_cast<Stage>(at - stages.begin());
    return failure(Code::ledger, format("{}: member 'stage': there is no stage '{}'", what, printable(word)));
}

void read_job(JsonReader& reader, LedgerRecord& record)
{
    std::uint64_t started = 0;
    reader.read("job_id", record.job_id);
    reader.read("restart_count", record.restart_count);
    reader.read("uid", record.uid);
    reader.read("gid", record.gid);
    reader.read("started", started);
    reader.read("observe", record.observe);
    reader.read("contract", record.contract);
    reader.read("nodes", record.nodes);
    reader.read("sm_slices", record.sm_slices);
    record.started = static_cast<std::int64_t>(started);
}

} // namespace

Json to_json(const StepRecord& record)
{
    return {{"step_id", record.step_id},
            {"cpus", mscale::to_string(record.cpus)},
            {"plan", to_json(record.plan)},
            {"refusals", list_json(record.refusals)},
            {"stepd", {{"pid", record.stepd.pid}, {"start_time", record.stepd.start_time}}}};
}

Result<StepRecord> step_from_json(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    StepRecord record;
    reader.read("step_id", record.step_id);
    reader.read("cpus", record.cpus);
    reader.read_object("plan", record.plan, plan_from_json);
    reader.read_each("refusals", record.refusals, refusal_from_json);
    if (json.is_object() && json.contains("stepd"))
        reader.read_object("stepd", record.stepd, process_from_json);
    return reader.end(std::move(record));
}

Json to_json(const LedgerRecord& record)
{
    Json json = {{"mscale_ledger", ledger_version},
            {"job_id", record.job_id},
            {"restart_count", record.restart_count},
            {"uid", record.uid},
            {"gid", record.gid},
            {"started", static_cast<std::uint64_t>(record.started)},
            {"stage", stages.at(static_cast<std::size_t>(record.stage))},
            {"observe", record.observe},
            {"contract", record.contract},
            {"nodes", record.nodes},
            {"sm_slices", record.sm_slices},
            {"lost_gpus", record.lost_gpus},
            {"plan", to_json(record.plan)},
            {"refusals", list_json(record.refusals)},
            {"acts", acts_json(record.acts)},
            {"steps", list_json(record.steps)}};
    if (record.notice.warning) json["warning"] = *record.notice.warning;
    if (record.notice.grace) json["grace"] = *record.notice.grace;
    return json;
}

Result<LedgerRecord> ledger_from_json(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    LedgerRecord record;
    unsigned version = 0;
    std::string stage;
    reader.read("mscale_ledger", version);
    read_job(reader, record);
    reader.read("stage", stage);
    if (json.is_object() && json.contains("lost_gpus")) reader.read("lost_gpus", record.lost_gpus);
    if (json.is_object() && json.contains("warning")) reader.read("warning", record.notice.warning);
    if (json.is_object() && json.contains("grace")) reader.read("grace", record.notice.grace);
    reader.read_object("plan", record.plan, plan_from_json);
    reader.read_each("refusals", record.refusals, refusal_from_json);
    reader.read_each("acts", record.acts, read_act);
    reader.read_each("steps", record.steps, step_from_json);
    auto whole = reader.end(std::move(record));
    if (!whole) return failure(Code::ledger, whole.error().text);
    if (version != ledger_version)
        return failure(Code::ledger,
                       format("{} has version {}, this mscale writes {}", what, version, ledger_version));
    const auto known = stage_of(stage, what);
    if (!known) return tl::unexpected(known.error());
    whole->stage = *known;
    return whole;
}

} // namespace mscale::contract
