#include "daemon/coding/messages.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "hal/json_reader.hpp"

namespace mscale::daemon {

namespace {

using hal::JsonReader;

Json shard_json(std::uint32_t job_id, const Shard& shard)
{
    const recovery::SlotHeader& header = shard.header;
    return {{"job", job_id},
            {"uid", header.owner.uid},
            {"rank", header.owner.rank},
            {"ranks", header.owner.ranks},
            {"restarts", header.owner.incarnation.restarts},
            {"step_id", header.owner.incarnation.step},
            {"epoch", header.epoch},
            {"step", header.step},
            {"manifest_bytes", header.manifest_bytes},
            {"data_bytes", header.data_bytes},
            {"capacity", shard.capacity}};
}

Result<Shard> read_shard(const Json& json, const std::string& what)
{
    Shard shard;
    recovery::SlotHeader& header = shard.header;
    JsonReader reader(json, what);
    reader.read("job", header.owner.job_id);
    reader.read("uid", header.owner.uid);
    reader.read("rank", header.owner.rank);
    reader.read("ranks", header.owner.ranks);
    reader.read("restarts", header.owner.incarnation.restarts);
    reader.read("step_id", header.owner.incarnation.step);
    reader.read("epoch", header.epoch);
    reader.read("step", header.step);
    reader.read("manifest_bytes", header.manifest_bytes);
    reader.read("data_bytes", header.data_bytes);
    reader.read("capacity", shard.capacity);
    return reader.end(shard);
}

Json member_json(const recovery::CodedGroup::Member& member)
{
    return {{"rank", member.rank}, {"data_bytes", member.data_bytes}, {"manifest_bytes", member.manifest_bytes}};
}

Result<recovery::CodedGroup::Member> read_coded_member(const Json& json, const std::string& what)
{
    recovery::CodedGroup::Member member;
    JsonReader reader(json, what);
    reader.read("rank", member.rank);
    reader.read("data_bytes", member.data_bytes);
    reader.read("manifest_bytes", member.manifest_bytes);
    return reader.end(member);
}

} // namespace

Json to_json(const ShardNews& news)
{
    Json shards = Json::array();
    for (const Shard& shard : news.shards) shards.push_back(shard_json(shard.header.owner.job_id, shard));
    return {{"ok", true},
            {"job", news.job_id},
            {"restarts", news.run.restarts},
            {"step_id", news.run.step},
            {"shards", std::move(shards)}};
}

Result<ShardNews> shard_news_from_json(const Json& json, const std::string& what)
{
    ShardNews news;
    JsonReader reader(json, what);
    reader.read("job", news.job_id);
    reader.read("restarts", news.run.restarts);
    reader.read("step_id", news.run.step);
    reader.read_each("shards", news.shards, read_shard);
    return reader.end(std::move(news));
}

Json to_json(const recovery::CodedGroup& group)
{
    Json members = Json::array();
    for (const auto& member : group.members) members.push_back(member_json(member));
    return {{"parity", group.parity}, {"members", std::move(members)}};
}

Result<recovery::CodedGroup> coded_group_from_json(const Json& json, const std::string& what)
{
    recovery::CodedGroup group;
    JsonReader reader(json, what);
    reader.read("parity", group.parity);
    reader.read_each("members", group.members, read_coded_member);
    auto read = reader.end(std::move(group));
    if (!read) return read;
    if (auto checked = recovery::check_group(*read); !checked) return tl::unexpected(std::move(checked.error()));
    return read;
}

Json to_json(const recovery::RebuildPlan& plan)
{
    return {{"group", to_json(plan.group)}, {"shards", plan.shards}, {"coded", plan.coded}};
}

Result<recovery::RebuildPlan> rebuild_plan_from_json(const Json& json, const std::string& what)
{
    recovery::RebuildPlan plan;
    JsonReader reader(json, what);
    reader.read_object("group", plan.group, coded_group_from_json);
    reader.read("shards", plan.shards);
    reader.read("coded", plan.coded);
    auto read = reader.end(std::move(plan));
    if (read && (read->shards.size() != read->group.size() || read->coded.size() != read->group.size()))
        return failure(Code::json_member, format("{}: {} members, {} shards and {} coded parts", what, read->group.size(),
                                                 read->shards.size(), read->coded.size()));
    return read;
}

} // namespace mscale::daemon
