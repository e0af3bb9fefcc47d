#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace mscale::library {

/// Which process of the training this is.
struct Rank {
    std::uint32_t rank = 0;
    std::uint32_t ranks = 0;
    bool operator==(const Rank&) const = default;
};

/// An environment variable, or nothing; a parameter, so that the rules can be tested on their own.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> read_environment(const char* name);

/// What the program says itself (either may be missing), else RANK and WORLD_SIZE, else PMIx and PMI, else Slurm.
/// rank_unclear when two that describe the same processes disagree, naming both.  Slurm's variables describe the
/// launcher, not the rank, where a launcher (torchrun, accelerate, deepspeed, mpirun) starts several ranks per task.
Result<Rank> find_rank(std::optional<std::uint32_t> rank, std::optional<std::uint32_t> ranks,
                       const Environment& environment = read_environment);

/// rank_unclear where `mscale run` and torchrun would both begin the ranks anew: two of each might train.
Result<void> check_restarts(const Environment& environment = read_environment);

} // namespace mscale::library
