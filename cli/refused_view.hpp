#pragma once

#include <optional>
#include <string>

#include "contract/parse.hpp"
#include "contract/verdict.hpp"

namespace mscale::cli {

/// The nearest contract that would be honoured, sought for 5 seconds; nothing for a verdict that honours.  A search that ended
/// before one was found is told on stderr.
std::optional<contract::Contract> seek_nearest(const contract::Contract& contract, const contract::Question& question,
                                               const contract::Verdict& verdict);

/// "refused on n1 (this system)", every refusal, and the nearest contract with what it changes.
std::string tell_refused(const contract::Contract& contract, const contract::Verdict& verdict,
                         const std::optional<contract::Contract>& nearest, const hal::Machine& machine);

} // namespace mscale::cli
