#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contract/verdict.hpp"

namespace mscale::contract {

/// One clause with another value, or without one: dropped.
struct Change {
    std::string clause;
    std::optional<std::string> value;
};

/// Whether a clause with this value draws no refusal on itself; asks the verdict.
using Accepts = std::function<bool(const std::string& clause, const std::string& value)>;

/// What could cure a refusal, nearest first: what the machine offers in the place of what was asked, and last
/// to drop the clause.  Only the refused clause is touched, or the one that its hint names (contract.strict,
/// contract.per).
std::vector<Change> changes_for(const Contract& contract, const Question& question, const Refusal& refusal,
                                const Accepts& accepts);

} // namespace mscale::contract
