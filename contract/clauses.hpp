#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/ini.hpp"
#include "contract/contract.hpp"

namespace mscale::contract {

/// How far this build holds a clause.
enum class Held {
    enforced, ///< set up and undone: honoured
    placed,   ///< judged and placed, not enforced yet: the state stays `granted`, the clause is named in `unenforced`
    refused,  ///< judged by `mscale check`; refused at submit as not yet enforceable
    stated,   ///< steers mscale itself (contract.*, on_breach.*)
};

/// One line of the language.  The parser, the canonical form, `mscale explain`, the manual page and the completion read it.
struct Clause {
    std::string_view section; ///< "contract", "gpu", "role", "rdma", "ft", "trace", "on_breach"
    std::string_view key;
    std::string_view values;  ///< grammar of the value, for people: "N | [CPU-LIST]"
    std::string_view example; ///< a value that parses
    std::string_view meaning; ///< one or two sentences
    Held held;
    /// Sets the field from a value, or says what is wrong with it; `role` is the section's role or null.
    Result<void> (*set)(Contract& contract, Role* role, std::string_view value);
    /// The field in canonical spelling, or "" when it isn't given.
    std::string (*write)(const Contract& contract, const Role* role);
};

/// All clauses, in canonical order.
std::span<const Clause> clause_table();

/// "role.image_loader.cores" -> the row of role.cores, or null.
const Clause* find_clause(std::string_view full_name);

} // namespace mscale::contract
