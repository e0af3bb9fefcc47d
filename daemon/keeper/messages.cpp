#include "daemon/keeper/messages.hpp"

#include "base/json.hpp"
#include "daemon/coding/messages.hpp"
#include "hal/json_reader.hpp"

namespace mscale::daemon {

namespace {

using hal::JsonReader;

void read_incarnation(JsonReader& reader, recovery::Incarnation& incarnation)
{
    reader.read("restarts", incarnation.restarts);
    reader.read("step_id", incarnation.step);
}

void read_prepared(JsonReader& reader, Prepared& prepared)
{
    reader.read("job", prepared.job_id);
    read_incarnation(reader, prepared.incarnation);
    reader.read("ranks", prepared.ranks);
    reader.read("rank", prepared.rank);
    reader.read("epoch", prepared.epoch);
    reader.read("step", prepared.step);
}

Result<RestoreState::Ready> read_ready(const Json& json, const std::string& what)
{
    RestoreState::Ready ready;
    JsonReader reader(json, what);
    reader.read("rank", ready.rank);
    reader.read("epoch", ready.epoch);
    return reader.end(ready);
}

Json ready_json(const RestoreState::Ready& ready)
{
    return {{"rank", ready.rank}, {"epoch", ready.epoch}};
}

Result<RestoreState::Failed> read_failed(const Json& json, const std::string& what)
{
    RestoreState::Failed failed;
    JsonReader reader(json, what);
    reader.read("rank", failed.rank);
    reader.read("epoch", failed.epoch);
    reader.read("node", failed.node);
    reader.read("why", failed.why);
    bool spilled = false, coded = false;
    reader.read("spilled", spilled);
    reader.read("coded", coded);
    failed.tier = spilled ? recovery::Tier::spill : coded ? recovery::Tier::coded : recovery::Tier::memory;
    return reader.end(failed);
}

Json failed_json(const RestoreState::Failed& failed)
{
    return {{"rank", failed.rank},
            {"epoch", failed.epoch},
            {"node", failed.node},
            {"spilled", failed.tier == recovery::Tier::spill},
            {"coded", failed.tier == recovery::Tier::coded},
            {"why", failed.why}};
}

Result<RankSources> read_source(const Json& json, const std::string& what)
{
    RankSources sources;
    JsonReader reader(json, what);
    reader.read("nodes", sources.nodes);
    reader.read("spilled", sources.spilled);
    if (const auto rebuild = json.find("rebuild"); rebuild != json.end() && !rebuild->is_null()) {
        auto plan = rebuild_plan_from_json(*rebuild, what);
        if (!plan) return tl::unexpected(std::move(plan.error()));
        sources.rebuild = std::move(*plan);
    }
    return reader.end(sources);
}

Json source_json(const RankSources& sources)
{
    return {{"nodes", sources.nodes},
            {"spilled", sources.spilled},
            {"rebuild", sources.rebuild ? to_json(*sources.rebuild) : Json(nullptr)}};
}

Result<recovery::HeldCopy> read_copy(const Json& json, const std::string& what, const std::string& node)
{
    recovery::HeldCopy copy;
    copy.node = node;
    JsonReader reader(json, what);
    reader.read("rank", copy.rank);
    read_incarnation(reader, copy.incarnation);
    reader.read("epoch", copy.epoch);
    reader.read("step", copy.step);
    if (const auto group = json.find("group"); group != json.end() && !group->is_null()) {
        auto coded = coded_group_from_json(*group, what);
        if (!coded) return tl::unexpected(std::move(coded.error()));
        copy.tier = recovery::Tier::coded;
        copy.group = std::move(*coded);
    }
    return reader.end(std::move(copy));
}

Json copy_json(const recovery::HeldCopy& copy)
{
    return {{"rank", copy.rank},
            {"restarts", copy.incarnation.restarts},
            {"step_id", copy.incarnation.step},
            {"epoch", copy.epoch},
            {"step", copy.step},
            {"group", copy.group ? to_json(*copy.group) : Json(nullptr)}};
}

template <class T, class Convert> Json list_of(const std::vector<T>& items, Convert convert)
{
    Json list = Json::array();
    for (const T& item : items) list.push_back(convert(item));
    return list;
}

} // namespace

Json to_json(const Prepared& prepared)
{
    return {{"job", prepared.job_id},
            {"restarts", prepared.incarnation.restarts},
            {"step_id", prepared.incarnation.step},
            {"ranks", prepared.ranks},
            {"rank", prepared.rank},
            {"epoch", prepared.epoch},
            {"step", prepared.step}};
}

Result<Prepared> prepared_from_json(const Json& json, const std::string& what)
{
    Prepared prepared;
    JsonReader reader(json, what);
    read_prepared(reader, prepared);
    return reader.end(prepared);
}

Json to_json(const Skipped& skipped)
{
    Json json = to_json(skipped.epoch);
    json["held"] = skipped.held;
    return json;
}

Result<Skipped> skipped_from_json(const Json& json, const std::string& what)
{
    Skipped skipped;
    JsonReader reader(json, what);
    read_prepared(reader, skipped.epoch);
    reader.read("held", skipped.held);
    return reader.end(skipped);
}

Json to_json(const RestoreState& state)
{
    return {{"job", state.job_id},
            {"restarts", state.incarnation.restarts},
            {"step_id", state.incarnation.step},
            {"ranks", state.ranks},
            {"ready", list_of(state.ready, ready_json)},
            {"confirmed", list_of(state.confirmed, ready_json)},
            {"failed", list_of(state.failed, failed_json)},
            {"rejected", state.rejected}};
}

Result<RestoreState> restore_state_from_json(const Json& json, const std::string& what)
{
    RestoreState state;
    JsonReader reader(json, what);
    reader.read("job", state.job_id);
    read_incarnation(reader, state.incarnation);
    reader.read("ranks", state.ranks);
    reader.read_each("ready", state.ready, read_ready);
    reader.read_each("confirmed", state.confirmed, read_ready);
    reader.read_each("failed", state.failed, read_failed);
    reader.read("rejected", state.rejected);
    return reader.end(state);
}

Json to_json(const RestoreAnswer& answer)
{
    return {{"ok", true},
            {"gathered", answer.gathered},
            {"go", answer.go},
            {"settled", answer.settled},
            {"record", answer.record ? to_json(*answer.record) : Json(nullptr)},
            {"sources", list_of(answer.sources, source_json)},
            {"missing", answer.missing}};
}

Result<RestoreAnswer> restore_answer_from_json(const Json& json, const std::string& what)
{
    RestoreAnswer answer;
    JsonReader reader(json, what);
    reader.read("gathered", answer.gathered);
    reader.read("go", answer.go);
    reader.read("settled", answer.settled);
    reader.read_each("sources", answer.sources, read_source);
    reader.read("missing", answer.missing);
    if (const auto record = json.find("record"); record != json.end() && !record->is_null()) {
        auto read = recovery::commit_from_json(*record, what);
        if (!read) return tl::unexpected(std::move(read.error()));
        answer.record = *read;
    }
    return reader.end(answer);
}

Json to_json(const Holdings& holdings)
{
    return {
        {"ok", true},
        {"records", list_of(holdings.records, [](const auto& record) { return recovery::to_json(record); })},
        {"copies", list_of(holdings.copies, copy_json)},
        {"earlier", holdings.earlier}};
}

Result<Holdings> holdings_from_json(const Json& json, const std::string& node)
{
    Holdings holdings;
    JsonReader reader(json, "what node " + node + " holds");
    reader.read_each("records", holdings.records, recovery::commit_from_json);
    reader.read_each("copies", holdings.copies,
                     [&](const Json& item, const std::string& what) { return read_copy(item, what, node); });
    reader.read("earlier", holdings.earlier);
    return reader.end(holdings);
}

} // namespace mscale::daemon
