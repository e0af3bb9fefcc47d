#pragma once

#include <string>
#include <vector>

namespace mscale::spank {

/// The names that travel; Slurm adds its own prefixes (slurm.conf's man page, spank(8)).
inline constexpr const char* option_name = "mscale-contract";
inline constexpr const char* twin_name = "MSCALE_CONTRACT";

/// What the user of one client process asked so far.
struct Request {
    std::vector<std::string> texts; ///< of --mscale-contract since the last component, in the order given
    std::string twin;               ///< of MSCALE_CONTRACT, which holds for every component without an option
};

/// Keeps the twin for later and takes it out of the environment, where a job would inherit it, together with all that an
/// outer job left there of its own contract.  To be called in slurm_spank_init, before Slurm reads the environment.
void read_client_environment(Request& request);

/// Takes the option itself out of the environment, where Slurm puts it for the job: in an inner sbatch or a second het
/// component it would win over the script's own #SBATCH line.
void forget_option_in_environment();

/// The texts of this component, and an empty start for the next one of a het job.
std::vector<std::string> take_texts(Request& request);

} // namespace mscale::spank
