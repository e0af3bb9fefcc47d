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

/// What is left to the plugin between its own deadline and Slurm's.
constexpr std::chrono::milliseconds reserve{1000};

std::vector<std::string> pick_environment(const char* const* environment)
{
    std::vector<std::string> picked = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
    for (; environment && *environment; ++environment) {
        const std::string_view entry = *environment;
        if (entry.starts_with("SLURM_") || entry.starts_with("SPANK_MSCALE_") || entry.starts_with("MSCALE_"))
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

/// Slurm drains a node whose prolog or epilog it had to end, so ours must come first.
std::chrono::milliseconds deadline_of(const contract::Site& site, const char* const* environment)
{
    for (; environment && *environment; ++environment) {
        const std::string_view entry = *environment;
        if (!entry.starts_with("SLURM_CONF=")) continue;
        const auto timeout = read_prolog_timeout(std::string(entry.substr(sizeof "SLURM_CONF=" - 1)));
        if (timeout) return std::min(site.apply_deadline, *timeout - std::min(*timeout / 2, reserve));
    }
    return site.apply_deadline;
}

} // namespace

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
    const auto deadline = deadline_of(node.site, environment);
    auto outcome = run_process(command, pick_environment(environment), input, deadline);
    if (!outcome) return tl::unexpected(outcome.error());
    if (outcome->timed_out)
        return failure(Code::deadline, describe_end(program + " " + verb, *outcome, deadline));
    if (outcome->status != 0)
        return failure(Code::node_act, describe_end(program + " " + verb, *outcome, deadline));
    for (const auto line : split(outcome->diagnostics, '\n'))
        if (!trim(line).empty()) log_line(Level::info, printable(line, 400));
    return std::move(outcome->output);
}

} // namespace mscale::spank
