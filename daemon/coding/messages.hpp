#pragma once

#include <cstdint>
#include <string>

#include "base/json_forward.hpp"
#include "recovery/rebuild_plan.hpp"
#include "recovery/slot.hpp"

/// What keepers say to each other about the groups of a run.  Pure.
namespace mscale::daemon {

/// A rank's own snapshot lies in a slot of its node, whole: its group's coded parts may be made of it.
struct Shard {
    recovery::SlotHeader header; ///< its run may be an earlier one, of which this run goes on
    std::uint64_t capacity = 0;  ///< bytes that the rank's slots have for data
    bool operator==(const Shard&) const = default;
};

/// Shards of one run from one node.
struct ShardNews {
    std::uint32_t job_id = 0;
    recovery::Incarnation run;
    std::vector<Shard> shards;
    bool operator==(const ShardNews&) const = default;
};
Json to_json(const ShardNews& news);
Result<ShardNews> shard_news_from_json(const Json& json, const std::string& what);

Json to_json(const recovery::CodedGroup& group);
Result<recovery::CodedGroup> coded_group_from_json(const Json& json, const std::string& what);
Json to_json(const recovery::RebuildPlan& plan);
Result<recovery::RebuildPlan> rebuild_plan_from_json(const Json& json, const std::string& what);

} // namespace mscale::daemon
