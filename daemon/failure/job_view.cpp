#include "daemon/failure/job_view.hpp"

#include "base/json.hpp"

namespace mscale::daemon {

using std::chrono::milliseconds;

Json to_json(const DeadNode& dead)
{
    return {{"node", dead.node},
            {"last_heard", dead.last_heard.count()},
            {"agreed", dead.agreed.count()},
            {"down", dead.down ? Json(dead.down->count()) : Json()},
            {"reason", dead.reason},
            {"by_mscale", dead.by_mscale}};
}

Result<DeadNode> dead_from_json(const Json& json, const std::string& what)
{
    const auto node = read_member<std::string>(json, "node", what);
    const auto last_heard = read_member<std::int64_t>(json, "last_heard", what);
    const auto agreed = read_member<std::int64_t>(json, "agreed", what);
    const auto down = read_member<Json>(json, "down", what);
    const auto reason = read_member<std::string>(json, "reason", what);
    if (!node) return tl::unexpected(node.error());
    for (const auto* time : {&last_heard, &agreed})
        if (!*time) return tl::unexpected(time->error());
    if (!down) return tl::unexpected(down.error());
    const auto by_mscale = read_member<bool>(json, "by_mscale", what);
    if (!reason) return tl::unexpected(reason.error());
    if (!by_mscale) return tl::unexpected(by_mscale.error());
    DeadNode dead{*node, milliseconds(*last_heard), milliseconds(*agreed), {}, *reason, *by_mscale};
    if (down->is_null()) return dead;
    const auto since = read_member<std::int64_t>(json, "down", what);
    if (!since) return tl::unexpected(since.error());
    dead.down = milliseconds(*since);
    return dead;
}

} // namespace mscale::daemon
