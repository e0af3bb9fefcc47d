#include "daemon/failure/policy.hpp"

#include <ctime>

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::string_view reason_start = "mscale: job ";

std::string list_names(std::vector<std::string> names)
{
    if (names.size() < 2) return join(names, "");
    const std::string last = names.back();
    names.pop_back();
    return join(names, ", ") + " and " + last;
}

/// By the wall clock of this host, as slurmctld's logs tell it.
std::string tell_time(std::chrono::milliseconds since_1970)
{
    const std::time_t seconds = since_1970.count() / 1000;
    std::tm parts{};
    char text[16] = {};
    localtime_r(&seconds, &parts);
    std::strftime(text, sizeof text, "%H:%M:%S", &parts);
    return text;
}

} // namespace

std::optional<std::string> find_objection(const contract::Site& site, const DownFacts& facts)
{
    if (site.set_down == contract::SetDown::no) return "set_down = no";
    if (site.require_controller && !facts.controller)
        return "no mscaled beside slurmctld heard nothing of it as well (require_controller = yes)";
    if (site.set_down == contract::SetDown::own && !facts.other_jobs.empty())
        return format("job {} holds it, too (set_down = own)", facts.other_jobs.front());
    if (facts.set_down_before >= site.max_down_per_hour)
        return format("{} nodes were set DOWN within the last hour (max_down_per_hour = {})",
                      facts.set_down_before, site.max_down_per_hour);
    return std::nullopt;
}

std::string make_down_reason(std::uint32_t job_id, const std::vector<std::string>& witnesses,
                             std::chrono::milliseconds last_heard)
{
    return format("{}{}: {} heard nothing since {}", reason_start, job_id, list_names(witnesses),
                  tell_time(last_heard));
}

bool is_down_reason(const std::string& reason)
{
    return reason.starts_with(reason_start) && reason.find(" heard nothing since ") != std::string::npos;
}

} // namespace mscale::daemon
