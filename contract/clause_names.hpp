#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "contract/clauses.hpp"

namespace mscale::contract {

/// A clause's name, understood.
struct ClauseName {
    const Clause* clause = nullptr;
    std::string role; ///< "" outside the roles
    std::string full; ///< "role.image_loader.cores"
};

/// Reads "section.key" or "role.NAME.key", or says what was meant.  unknown_section when the fault is in the section.
Result<ClauseName> read_clause_name(std::string_view name);

} // namespace mscale::contract
