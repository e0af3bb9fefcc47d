#include "spank/node_program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <unistd.h>

#include "base/process.hpp"
#include "base/text.hpp"
#include "spank/slurm_conf.hpp"

namespace mscale::spank {
namespace {

/// What is left to the plugin after mscale-node and before Slurm's own deadline.
constexpr std::chrono::milliseconds margin{1000};

std::vector<std::string> pick_environment(const char* const* environment)
{
    std::vector<std::string> picked = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
    for (; environment && *environment; ++environment) {
        const std::string_view entry = *environment;
        const bool of_slurm = entry.starts_with("SLURM_") || entry.starts_with("SLURMD_NODENAME=");
        if (of_slurm || entry.starts_with("SPANK_MSCALE_") || entry.starts_with("MSCALE_"))
            picked.emplace_back(entry);
    }
    return picked;
}

std::string describe_end(const std::string& what, const Outcome& outcome, std::chrono::milliseconds deadline)
{
    const std::string said =
        trim(outcome.diagnostics).empty() ? "" : ": " + printable(trim(outcome.diagnostics), 400);
    if (outcome.timed_out)
        return format("{} didn't end within {} s and was killed{}", what, deadline.count() / 1000, said);
    if (outcome.status <= 128) return format("{} ended with status {}{}", what, outcome.status, said);
    return format("{} was killed by signal {} ({}){}", what, outcome.status - 128,
                  ::strsignal(outcome.status - 128), said);
}

std::optional<std::chrono::milliseconds> read_timeout(std::string_view verb, const char* const* environment)
{
    const Script script = verb == "release" ? Script::epilog : Script::prolog;
    for (; environment && *environment; ++environment) {
        const std::string_view entry = *environment;
        if (entry.starts_with("SLURM_CONF="))
            return read_script_timeout(std::string(entry.substr(sizeof "SLURM_CONF=" - 1)), script);
    }
    return std::nullopt;
}

} // namespace

Times plan_times(std::chrono::milliseconds site_deadline, std::optional<std::chrono::milliseconds> slurms_own)
{
    if (!slurms_own) return {site_deadline, default_death_limit};
    const auto quarter = *slurms_own / 4;
    const auto death_limit = std::min(default_death_limit, quarter);
    return {std::min(site_deadline, *slurms_own - death_limit - std::min(margin, quarter)), death_limit};
}

NodeSite::NodeSite(const std::string& config)
{
    auto found = contract::read_site(config);
    if (found)
        site = std::move(*found);
    else
        read = tl::unexpected(found.error());
}

Result<std::string> run_node_program(const NodeSite& node, const Arguments& arguments,
                                     const std::string& verb, const char* const* environment,
                                     const std::string& input)
{
    if (!node.read) return tl::unexpected(node.read.error());
    const std::string& program = node.site.node_program;
    if (::access(program.c_str(), X_OK) != 0)
        return os_failure(Code::plugin_missing, "can't run " + program, errno);
    std::vector<std::string> command = {program};
    if (!arguments.config.empty()) command.insert(command.end(), {"--config", arguments.config});
    command.push_back(verb);
    const Times times = plan_times(node.site.apply_deadline, read_timeout(verb, environment));
    auto outcome =
        run_process(command, pick_environment(environment), input, times.deadline, times.death_limit);
    if (!outcome) return tl::unexpected(outcome.error());
    if (outcome->timed_out)
        return failure(Code::deadline, describe_end(program + " " + verb, *outcome, times.deadline));
    if (outcome->status != 0)
        return failure(Code::node_act, describe_end(program + " " + verb, *outcome, times.deadline));
    for (const auto line : split(outcome->diagnostics, '\n'))
        if (!trim(line).empty()) log_line(Level::info, printable(line, 400));
    return std::move(outcome->output);
}

} // namespace mscale::spank
