#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json_forward.hpp"

namespace mscale::recovery {

/// What a recovery consists of, in the order in which the phases begin; they may overlap.
enum class Phase : std::uint8_t { detect, fence, launch, fetch, restore, first_step };

std::string name_of(Phase phase); ///< "first step"

/// One phase, in milliseconds from the loss.
struct PhaseSpan {
    Phase phase = Phase::detect;
    std::chrono::milliseconds begin{}, end{}; ///< end is not before begin
    std::string what;                         ///< "n1 and ctl missed three beats"
    bool operator==(const PhaseSpan&) const = default;
};

/// How a job came back.
struct Timeline {
    std::uint32_t job_id = 0;
    std::string lost;       ///< "node n3", "GPU 0000:81:00.0 of n2"
    std::string lost_at;    ///< by the wall clock, for people
    std::uint64_t step = 0; ///< committed, after which it went on
    std::vector<PhaseSpan> spans;
    bool operator==(const Timeline&) const = default;
};

/// From the loss to the end of the last phase.
std::chrono::milliseconds total_of(const Timeline& timeline);

/// Lines for a terminal: a phase each, with a bar.
std::string to_text(const Timeline& timeline);
Json to_json(const Timeline& timeline);
/// Reads what to_json wrote; json_member for anything else.
Result<Timeline> timeline_from_json(const Json& json, const std::string& what);
/// A drawing that needs nothing else: no font, script or style sheet.
std::string to_svg(const Timeline& timeline);

} // namespace mscale::recovery
