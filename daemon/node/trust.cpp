#include "daemon/node/trust.hpp"

#include "base/text.hpp"
#include "daemon/node/credential.hpp"
#include "daemon/node/slurm_user.hpp"

namespace mscale::node {

Result<contract::Verified> read_verified(const JobEnvironment& job, const contract::Site& site)
{
    if (!job.verified)
        return failure(Code::credential, "the job has a contract that no controller has verified",
                       "have job_submit/mscale loaded by slurmctld (JobSubmitPlugins), and submit again");
    const auto made = open_credential(*job.verified, site.munge_socket);
    if (!made) return tl::unexpected(made.error());
    const auto slurm_user = read_slurm_user();
    if (!slurm_user) return tl::unexpected(slurm_user.error());
    if (made->uid != 0 && made->uid != *slurm_user)
        return failure(Code::credential,
                       format("the verified text was made by user {}, not by SlurmUser {} or root", made->uid,
                              *slurm_user));
    auto verified = contract::verified_from_payload(made->payload);
    if (!verified) return failure(Code::credential, verified.error().text);
    if (verified->uid != job.uid)
        return failure(Code::credential, format("the verified text is for user {}, the job is of user {}",
                                                verified->uid, job.uid));
    return verified;
}

} // namespace mscale::node
