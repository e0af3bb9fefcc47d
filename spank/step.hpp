#pragma once

#include <string>
#include <vector>

#include "contract/ledger.hpp"
#include "spank/arguments.hpp"
#include "spank/edge.hpp"
#include "spank/slurm.hpp"

namespace mscale::spank {

/// What slurmstepd knows of the contract of its step; its tasks inherit it by fork.
struct StepState {
    enum class Stage {
        unread,  ///< init_post_opt didn't come to its end
        none,    ///< the job has no contract, or one that is only observed
        planned, ///< `record` says where the tasks lie
        refused, ///< each task is refused with `refusals`
    } stage = Stage::unread;
    bool option_seen = false; ///< srun handed the option on: the job has a contract, whatever the ledger says
    StepFacts facts;
    std::string state_directory; ///< Site::state
    bool keeps_snapshots = false; ///< the contract has [ft]: the tasks are told where the keeper listens
    contract::StepRecord record;
    std::vector<contract::Refusal> refusals;
};

/// init_post_opt in slurmstepd, as root: learns the contract from the job's ledger, which root wrote; what argument and
/// environment say belongs to the user.  Has `mscale-node step` plan the step's cores.  Always go_on: a refusal here would
/// end the job as completed and drain the node (facts: "SPANK"), so the tasks are refused later.
Decision learn_step(Slurm& slurm, StepState& step, const Arguments& arguments,
                    const char* const* environment);

} // namespace mscale::spank
