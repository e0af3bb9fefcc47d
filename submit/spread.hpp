#pragma once

#include <cstdint>
#include <optional>

#include "submit/judgement.hpp"

namespace mscale::submit {

/// How many nodes a job takes, and how many tasks each of them at most.
struct Spread {
    std::uint32_t nodes = 1;
    std::uint16_t tasks_per_node = 1;
};

/// For a job that leaves to Slurm how its tasks lie, and whose tasks one node can't hold: the fewest nodes that
/// hold them all under the contract.  Nothing when the job says it itself or no number of nodes does.
std::optional<Spread> find_spread(const JobRequest& job, const ReadContract& contract, const Policy& policy,
                                  const Candidates& candidates);

/// The same job as if its user had asked for the spread.
JobRequest with_spread(JobRequest job, const Spread& spread);

} // namespace mscale::submit
