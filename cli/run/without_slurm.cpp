// slurm_acts for a build without Slurm.
#include "base/json.hpp"
#include "cli/run/slurm_acts.hpp"

namespace mscale::cli {
namespace {

Json no_slurm()
{
    return {{"error", "this mscale was built without Slurm"}};
}

} // namespace

Json signal_step_of(std::uint32_t, std::uint32_t, int)
{
    return no_slurm();
}

bool had_step(const Json&)
{
    return true;
}

Json list_allocation(std::uint32_t)
{
    return no_slurm();
}

std::optional<std::vector<std::string>> read_allocation(const Json&)
{
    return std::nullopt;
}

Json requeue_job(std::uint32_t)
{
    return no_slurm();
}

Json load_job_end(std::uint32_t)
{
    return no_slurm();
}

} // namespace mscale::cli
