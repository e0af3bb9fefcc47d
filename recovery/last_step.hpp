#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "recovery/slot.hpp"

namespace mscale::recovery {

/// The training step after which all ranks of a run leave, when its job is to end.  Each rank announces the newest step that
/// it has done, or will do, and does no later one before it hears more; when all have, the greatest is the last step of all:
/// no rank has passed it, and each can still reach it.  Pure.
class LastStep {
public:
    LastStep(Incarnation run, std::uint32_t ranks) : run_(run), ranks_(ranks) {}

    const Incarnation& run() const { return run_; }
    /// A rank announces a step; an announcement may grow.  Nothing changes once the last step is known.
    void announce(std::uint32_t rank, std::uint64_t step);
    /// What the rank may do: the last step, or what it has announced.
    std::uint64_t limit_of(std::uint32_t rank) const;
    /// Once all ranks have announced one.
    const std::optional<std::uint64_t>& found() const { return found_; }

private:
    Incarnation run_;
    std::uint32_t ranks_;
    std::map<std::uint32_t, std::uint64_t> announced_; // by rank
    std::optional<std::uint64_t> found_;
};

} // namespace mscale::recovery
