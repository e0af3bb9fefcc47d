// slurm_view for a build without Slurm.
#include "cli/slurm_view.hpp"

namespace mscale::cli {
namespace {

tl::unexpected<Error> no_slurm()
{
    return failure(Code::plugin_missing, "this mscale was built without Slurm",
                   "configure it with --with-slurm=DIR");
}

} // namespace

Result<SlurmView> view_slurm(std::chrono::milliseconds)
{
    return no_slurm();
}

Result<std::optional<SlurmJob>> view_job(std::uint32_t)
{
    return no_slurm();
}

Result<std::vector<std::string>> expand_host_list(const std::string&)
{
    return no_slurm();
}

} // namespace mscale::cli
