#pragma once

#include <optional>
#include <string>

#include "library/rank.hpp"
#include "library/session.hpp"

namespace mscale::library {

/// Where this process would find a keeper.
struct KeeperPlace {
    std::string path;
    bool named = false; ///< by MSCALE_KEEPER, which the SPANK plugin sets in jobs whose contract has [ft]
    Patience patience;
};

/// MSCALE_KEEPER, else in a Slurm job the default path; nothing outside of a job.
std::optional<KeeperPlace> find_keeper(const Environment& environment = read_environment);

/// True when the error says that the job has no snapshots to keep: no [ft], or no mscaled where none was promised.
bool is_outside(const Error& error, const KeeperPlace& keeper);

} // namespace mscale::library
