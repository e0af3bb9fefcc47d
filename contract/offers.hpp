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

/// How many refusals are left after a change that cures a given one; nothing when it doesn't, or is refused itself.
using Effects = std::function<std::optional<std::size_t>(const Change& change)>;

/// A clause whose value is in the way, and what its offers are made from.
struct Case {
    const Contract& contract;
    const Question& question;
    std::string clause;
    std::string read; ///< the value as it stands in the contract
    const Effects& effect;
};

/// Other values that the machine offers for the clause, nearest first.
std::vector<std::string> offers_for(const Case& c);

} // namespace mscale::contract
