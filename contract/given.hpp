#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/clauses.hpp"

namespace mscale::contract {

/// A clause that a contract gives.
struct Given {
    const Clause* clause = nullptr;
    std::string name;  ///< "role.image_loader.cores"
    std::string value; ///< canonical
};

/// What the contract gives, in canonical order.
std::vector<Given> given_clauses(const Contract& contract);

/// The canonical value of a clause by its full name, or "" when it isn't given.
std::string value_of(const Contract& contract, std::string_view full_name);

/// The same contract with one clause set to `value`, or without it when there is no value.
Result<Contract> with_clause(const Contract& contract, std::string_view full_name,
                             const std::optional<std::string>& value);

} // namespace mscale::contract
