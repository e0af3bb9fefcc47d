// In the place of slurm.cpp where mscale is built without Slurm.
#include "base/text.hpp"
#include "daemon/node/slurm.hpp"

namespace mscale::node {

std::vector<std::string> expand_host_list(const std::string&)
{
    return {};
}

Result<RunHere> load_run(std::uint32_t job_id, const std::string&, const std::string&)
{
    return failure(Code::peer, format("this mscale-node was built without Slurm and can't ask for job {}", job_id));
}

Result<std::set<std::uint32_t>> load_live_jobs()
{
    return failure(Code::peer, "this mscale-node was built without Slurm and can't ask for the live jobs",
                   "name the live jobs with --live");
}

} // namespace mscale::node
