#include "cli/run/run_view.hpp"

#include <algorithm>

#include "base/json.hpp"

namespace mscale::cli {
namespace {

using std::chrono::milliseconds;

milliseconds time_of(const Json& json)
{
    return milliseconds(json.get<std::int64_t>());
}

LostNode dead_node_of(const Json& json)
{
    LostNode dead{
        json.at("node"), time_of(json.at("last_heard")), time_of(json.at("agreed")), {}, json.at("reason")};
    if (!json.at("down").is_null()) dead.down = time_of(json.at("down"));
    return dead;
}

LostPart lost_part_of(const Json& json)
{
    return {json.at("node"), json.at("kind"),           json.at("name"),         json.at("way"),
            json.at("text"), time_of(json.at("whole")), time_of(json.at("known"))};
}

RankView ranks_of(const Json& json)
{
    return {json.at("restarts"), json.at("step_id"),    json.at("joined"),
            json.at("left"),     json.at("least_step"), time_of(json.at("restored_at")),
            json.at("slowest"),  json.value("signs", std::uint64_t{0})};
}

std::optional<ToldEnd> end_of(const Json& json)
{
    if (json.is_null()) return std::nullopt;
    ToldEnd end{json.at("signal").get<int>(), std::nullopt};
    if (!json.at("step").is_null()) end.step = json.at("step").get<std::uint64_t>();
    return end;
}

std::optional<GoneRanks> gone_of(const Json& json)
{
    if (json.is_null()) return std::nullopt;
    return GoneRanks{json.at("count"), json.at("status"), json.at("ended").get<std::set<std::string>>()};
}

std::optional<RefusedRanks> refusal_of(const Json& json)
{
    if (json.is_null()) return std::nullopt;
    const auto known = find_code(json.at("code").get<std::string>());
    const Error error{known ? known->code : Code::no_snapshot, json.at("text"), json.at("cure")};
    return RefusedRanks{json.at("restarts"), json.at("step_id"), to_line(error), exit_status(error)};
}

RunView view_of(const Json& json)
{
    RunView view{json.at("nodes"),
                 json.at("keeps_snapshots"),
                 json.at("spares"),
                 time_of(json.at("detect_ms")),
                 {},
                 ranks_of(json.at("ranks")),
                 {},
                 end_of(json.value("exit", Json(nullptr)))};
    for (const Json& dead : json.at("dead")) view.dead.push_back(dead_node_of(dead));
    view.gone = gone_of(json.value("gone", Json(nullptr)));
    view.done = json.value("done", 0U);
    for (const Json& lost : json.at("lost")) view.lost.push_back(lost_part_of(lost));
    if (!json.at("committed").is_null())
        view.committed_step = json.at("committed").at("step").get<std::uint64_t>();
    view.refusal = refusal_of(json.value("refusal", Json(nullptr)));
    view.resumes = json.value("resumes", false);
    view.silent = json.value("silent", std::vector<std::string>());
    return view;
}

} // namespace

Result<RunView> run_view_from_json(const Json& json)
{
    try {
        return view_of(json);
    } catch (const Json::exception& e) {
        return failure(Code::json_member, std::string("mscaled's answer: ") + e.what());
    }
}

const LostNode* find_dead(const RunView& view, const std::string& node)
{
    const auto found = std::ranges::find(view.dead, node, &LostNode::node);
    return found == view.dead.end() ? nullptr : &*found;
}

} // namespace mscale::cli
