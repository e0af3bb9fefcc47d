#include "spank/prolog.hpp"

#include <cerrno>
#include <optional>
#include <string_view>

#include <unistd.h>

#include "base/text.hpp"
#include "contract/refused_file.hpp"
#include "contract/verified.hpp"
#include "spank/node_program.hpp"

namespace mscale::spank {
namespace {

/// The value of "NAME=value", or nothing.
std::optional<std::string_view> find(const char* const* environment, const std::string& name)
{
    for (; environment && *environment; ++environment) {
        const std::string_view entry = *environment;
        if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
    }
    return std::nullopt;
}

/// spank_job_control_getenv() would crash here (facts: "SPANK"), so Slurm's own prefix it is.
bool asks_for_contract(const char* const* environment)
{
    return find(environment, format("SPANK_{}", contract::verified_name)) ||
           find(environment, format("SPANK_{}", contract::request_name));
}

contract::Refusal describe_failure(const Error& error)
{
    return {error.code, "contract", "", "the node couldn't be set up: " + error.text, error.cure};
}

void leave_refusal(const NodeSite& node, std::uint32_t job_id, const Error& error)
{
    const auto written = contract::write_refused_file(node.jobs(), job_id, {describe_failure(error)});
    if (!written) log_error(format("job {}", job_id), written.error());
}

/// Runs mscale-node, and sees that it left a ledger, since the steps go by that.
Result<void> apply(const NodeSite& node, std::uint32_t job_id, const Arguments& arguments,
                   const char* const* environment)
{
    const auto applied = run_node_program(node, arguments, "apply", environment, "");
    if (!applied) return tl::unexpected(applied.error());
    const std::string ledger = format("{}/{}.json", node.jobs(), job_id);
    if (::access(ledger.c_str(), F_OK) == 0) return {};
    return os_failure(Code::ledger, "mscale-node apply left no ledger " + ledger, errno);
}

} // namespace

Decision apply_contract(Slurm& slurm, const Arguments& arguments, const char* const* environment)
{
    if (!asks_for_contract(environment)) return Decision::go_on;
    const auto job_id = slurm.read_job_id();
    if (!job_id) {
        log_error("job_prolog", job_id.error());
        return Decision::go_on;
    }
    const NodeSite node(arguments.config);
    const auto removed = contract::remove_refused_file(node.jobs(), *job_id); // of an earlier run of the job
    if (!removed) log_error(format("job {}", *job_id), removed.error());
    const auto applied = apply(node, *job_id, arguments, environment);
    if (applied) return Decision::go_on;
    log_error(format("job {}: apply", *job_id), applied.error());
    if (node.enforces(find(environment, "SLURM_JOB_PARTITION").value_or("")))
        leave_refusal(node, *job_id, applied.error());
    return Decision::go_on;
}

} // namespace mscale::spank
