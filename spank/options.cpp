#include "spank/options.hpp"

#include <cstdlib>
#include <utility>

namespace mscale::spank {
namespace {

/// What Slurm makes of the option in an environment that a job inherits.
constexpr const char* option_names[] = {
    "SLURM_SPANK__SLURM_SPANK_OPTION_mscale_mscale_contract",
    "_SLURM_SPANK_OPTION_mscale_mscale_contract",
};
/// What it makes of our job-control variables.
constexpr const char* job_control_names[] = {"SLURM_SPANK_MSCALE_CONTRACT", "SLURM_SPANK_MSCALE_VERIFIED"};

} // namespace

void read_client_environment(Request& request)
{
    if (const char* twin = std::getenv(twin_name)) request.twin = twin;
    ::unsetenv(twin_name);
    for (const char* name : job_control_names) ::unsetenv(name);
    forget_option_in_environment();
}

void forget_option_in_environment()
{
    for (const char* name : option_names) ::unsetenv(name);
}

std::vector<std::string> take_texts(Request& request)
{
    auto texts = std::exchange(request.texts, {});
    if (texts.empty() && !request.twin.empty()) texts.push_back(request.twin);
    return texts;
}

} // namespace mscale::spank
