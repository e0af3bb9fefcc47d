#include "spank/submit.hpp"

#include <cstdlib>

#include "base/text.hpp"
#include "contract/parse.hpp"
#include "contract/site.hpp"
#include "contract/verified.hpp"
#include "spank/environment.hpp"

namespace mscale::spank {
namespace {

/// Slurm fills the job-control variables of a new job from SLURM_SPANK_* of the environment and keeps those of one het
/// component for the next: neither is this component's contract.
void forget_earlier_contract(Slurm& slurm)
{
    slurm.unset_job_control(std::string(contract::request_name));
    slurm.unset_job_control(std::string(contract::verified_name));
    slurm.unset_job_control("_SLURM_SPANK_OPTION_mscale_mscale_contract");
    forget_option_in_environment();
    if (slurm.context() == Context::allocator) ::unsetenv(job_variable.data());
}

Decision refuse(Slurm& slurm, const Error& error)
{
    tell_lines(slurm, Level::error, to_line(error));
    return Decision::refuse;
}

/// srun makes a job only where it isn't in one.
bool is_step_of_a_job(Slurm& slurm)
{
    return slurm.context() == Context::local && std::getenv("SLURM_JOB_ID");
}

Error contract_of_a_step()
{
    return failure(Code::usage,
                   "--mscale-contract: a contract belongs to the whole job, and this step is part of job " +
                       printable(std::getenv("SLURM_JOB_ID"), 20),
                   "give the contract to sbatch or salloc, and leave the option out here")
        .value();
}

Decision refuse_arguments(Slurm& slurm, const Arguments& arguments)
{
    for (const auto& fault : arguments.faults)
        tell_lines(slurm, Level::error, to_line(failure(Code::config_value, fault).value()));
    return Decision::refuse;
}

Decision hand_over(Slurm& slurm, const contract::Parsed& parsed)
{
    for (const auto& note : parsed.notes) tell_lines(slurm, Level::info, note);
    if (!parsed.ok()) {
        tell_lines(slurm, Level::error, to_text(parsed.faults));
        return Decision::refuse;
    }
    const auto set =
        slurm.set_job_control(std::string(contract::request_name), to_canonical(parsed.contract));
    if (!set) return refuse(slurm, set.error());
    if (slurm.context() == Context::allocator) ::setenv(job_variable.data(), submitted_job.data(), 1);
    return Decision::go_on;
}

} // namespace

Decision hand_over_contract(Slurm& slurm, Request& request, const Arguments& arguments)
{
    const bool given = !request.texts.empty();
    const auto texts = take_texts(request);
    forget_earlier_contract(slurm);
    if (is_step_of_a_job(slurm)) return given ? refuse(slurm, contract_of_a_step()) : Decision::go_on;
    if (texts.empty()) return Decision::go_on;
    if (!arguments.faults.empty()) return refuse_arguments(slurm, arguments);
    const auto site = contract::read_site(arguments.config);
    if (!site) return refuse(slurm, site.error());
    return hand_over(slurm, parse_options(texts, contract::ProfileDirectory(site->profiles)));
}

} // namespace mscale::spank
