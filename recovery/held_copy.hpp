#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "recovery/coding.hpp"
#include "recovery/commit.hpp"

namespace mscale::recovery {

/// Where a copy lies; the order is the order of preference.
enum class Tier : std::uint8_t {
    memory,
    coded, ///< the coded part beside the rank's own snapshot: it helps to rebuild others of its group
    spill
};

/// One rank's snapshot on one node, verified there.
struct HeldCopy {
    std::uint32_t rank = 0;
    Incarnation incarnation; ///< of the run that wrote it
    std::uint64_t epoch = 0;
    std::uint64_t step = 0;
    std::string node;
    Tier tier = Tier::memory;
    std::optional<CodedGroup> group = {}; ///< of a coded part
    bool operator==(const HeldCopy&) const = default;
};

/// True when the copy is of the record's epoch.
inline bool is_of(const CommitRecord& record, const HeldCopy& copy)
{
    return copy.incarnation == record.incarnation && copy.epoch == record.epoch && copy.step == record.step &&
           copy.rank < record.ranks;
}

} // namespace mscale::recovery
