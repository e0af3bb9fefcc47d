#include "spank/epilog.hpp"

#include <unistd.h>

#include "base/text.hpp"
#include "contract/refused_file.hpp"
#include "spank/node_program.hpp"

namespace mscale::spank {
namespace {

bool has_record(const NodeSite& node, std::uint32_t job_id)
{
    for (const char* kind : {"json", "tasks"})
        if (::access(format("{}/{}.{}", node.jobs(), job_id, kind).c_str(), F_OK) == 0) return true;
    return false;
}

} // namespace

Decision release_contract(Slurm& slurm, const Arguments& arguments, const char* const* environment)
{
    const auto job_id = slurm.read_job_id();
    if (!job_id) {
        log_error("job_epilog", job_id.error());
        return Decision::go_on;
    }
    const NodeSite node(arguments.config);
    if (has_record(node, *job_id)) {
        const auto released = run_node_program(node, arguments, "release", environment, "");
        if (!released)
            log_error(format("job {}: release, mscaled will try again", *job_id), released.error());
    }
    const auto removed = contract::remove_refused_file(node.jobs(), *job_id);
    if (!removed) log_error(format("job {}", *job_id), removed.error());
    return Decision::go_on;
}

} // namespace mscale::spank
