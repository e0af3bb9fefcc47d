#include "daemon/mscaled/child.hpp"

#include <cstdlib>

#include "base/process.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

std::vector<std::string> child_environment()
{
    std::vector<std::string> environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
    if (const char* path = std::getenv("SLURM_CONF"))
        environment.push_back(std::string("SLURM_CONF=") + path);
    return environment;
}

} // namespace

Result<void> run_child(Code code, const std::vector<std::string>& arguments, const std::string& input,
                       std::chrono::milliseconds deadline)
{
    const auto outcome = run_process(arguments, child_environment(), input, deadline);
    if (!outcome) return tl::unexpected(outcome.error());
    if (outcome->status == 0) return {};
    return failure(code, format("{}: exit {}, {}", join(arguments, " "), outcome->status,
                                printable(outcome->diagnostics)));
}

} // namespace mscale::daemon
