#include "daemon/requeue/set_up_again.hpp"

#include <unistd.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "contract/kept_job.hpp"
#include "daemon/mscaled/child.hpp"

namespace mscale::daemon {

std::vector<std::string> again_command(const std::string& program, const std::string& config,
                                       std::uint32_t job_id)
{
    return {program, "--config", config, "again", "--job", std::to_string(job_id)};
}

void SetUpAgain::on_missing(std::uint32_t job_id)
{
    if (::access(contract::kept_job_path(site_.state, job_id).c_str(), F_OK) != 0) return;
    if (!busy_.insert(job_id).second) return;
    node_.run<Result<void>>(
        [command = again_command(site_.node_program, config_, job_id), deadline = site_.apply_deadline] {
            return run_child(Code::node_act, command, {}, deadline);
        },
        [this, job_id](const Result<void>& done) {
            busy_.erase(job_id);
            if (!done) log_error(format("job {}", job_id), done.error());
        });
}

} // namespace mscale::daemon
