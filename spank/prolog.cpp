#include "spank/prolog.hpp"

#include <string_view>

#include "base/text.hpp"
#include "contract/refused_file.hpp"
#include "contract/verified.hpp"
#include "spank/node_program.hpp"

namespace mscale::spank {
namespace {

bool holds(const char* const* environment, const std::string& start)
{
    for (; environment && *environment; ++environment)
        if (std::string_view(*environment).starts_with(start)) return true;
    return false;
}

/// spank_job_control_getenv() would crash here (facts: "SPANK"), so Slurm's own prefix it is.
bool asks_for_contract(const char* const* environment)
{
    return holds(environment, format("SPANK_{}=", contract::verified_name)) ||
           holds(environment, format("SPANK_{}=", contract::request_name));
}

contract::Refusal describe_failure(const Error& error)
{
    return {error.code, "contract", "", "the node couldn't be set up: " + error.text, error.cure};
}

void leave_refusal(const NodeSite& node, std::uint32_t job_id, const Error& error)
{
    log_error(format("job {}: apply", job_id), error);
    const auto written = contract::write_refused_file(node.jobs(), job_id, {describe_failure(error)});
    if (!written) log_error(format("job {}", job_id), written.error());
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
    const auto applied = run_node_program(node, arguments, "apply", environment, "");
    if (!applied) leave_refusal(node, *job_id, applied.error());
    return Decision::go_on;
}

} // namespace mscale::spank
