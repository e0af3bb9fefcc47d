#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/json_forward.hpp"
#include "library/restore.hpp"
#include "recovery/slot.hpp"

namespace mscale::library {

/// What the keeper answers to a join.
struct Terms {
    std::uint64_t data_bytes = 0;
    std::uint64_t page_bytes = 0;
    std::uint32_t job_id = 0;
    std::uint32_t uid = 0;
    recovery::Incarnation incarnation;
    std::uint64_t next_epoch = 1;
    std::optional<std::uint64_t> every_steps;
    std::optional<std::chrono::milliseconds> every_time;
    std::optional<RestorePoint> restore;
    std::uint32_t restore_job = 0; ///< whose snapshot it is: this job's, or that of ft.resume
    std::set<std::string> ops;     ///< what the keeper understands beyond the first protocol: "restored", "at"
};

/// Reads the answer; the keeper's own error when it says no, keeper_lost when it can't be understood.
Result<Terms> read_terms(const Json& answer);

/// For the answers of which only counts that they say yes.
Result<void> read_done(const Json& answer);

/// As `read_terms`, for the answers of which only the choice to go on from counts.
Result<std::optional<RestorePoint>> read_restore(const Json& answer);

} // namespace mscale::library
