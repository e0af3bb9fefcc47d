#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/json_forward.hpp"
#include "recovery/slot.hpp"

namespace mscale::daemon {

/// What keepers say to each other when a job is to end, or a rank has ended; see Exits and GoneWatch.
struct ExitWord {
    std::uint32_t job_id = 0;
    recovery::Incarnation run;
    std::uint32_t signal = 0; ///< of the notice; "gone": the exit status
    std::uint32_t ranks = 0;  ///< "at": of the run
    std::uint32_t rank = 0;   ///< "at": whose word it is; "gone": which has ended
    std::uint64_t step = 0;   ///< "at": announced; "exit": the last one of all ranks
    bool operator==(const ExitWord&) const = default;
};

Json to_json(const ExitWord& word);
/// json_member where it isn't one, or where the rank isn't one of the ranks.
Result<ExitWord> exit_word_from_json(const Json& json);

} // namespace mscale::daemon
