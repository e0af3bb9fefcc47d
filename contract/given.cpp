#include "contract/given.hpp"

#include "base/text.hpp"

namespace mscale::contract {
namespace {

/// "role.loader.cores" -> "loader"; "" for a clause outside the roles.
std::string role_of(std::string_view full_name)
{
    const auto parts = split(full_name, '.');
    return parts.size() == 3 && parts[0] == "role" ? std::string(parts[1]) : "";
}

void add_given(std::vector<Given>& all, const Clause& clause, const Contract& contract, const Role* role,
               const std::string& section)
{
    std::string value = clause.write(contract, role);
    if (!value.empty()) all.push_back({&clause, format("{}.{}", section, clause.key), std::move(value)});
}

void add_role_clauses(std::vector<Given>& all, const Contract& contract)
{
    for (const auto& [name, role] : contract.roles)
        for (const Clause& clause : clause_table())
            if (clause.section == "role") add_given(all, clause, contract, &role, "role." + name);
}

Result<void> set_clause(Contract& contract, std::string_view full_name, const std::string& value)
{
    const Clause* clause = find_clause(full_name);
    if (clause == nullptr) return failure(Code::unknown_key, format("there is no clause {}", full_name));
    const std::string role = role_of(full_name);
    return clause->set(contract, role.empty() ? nullptr : &contract.roles[role], value);
}

} // namespace

std::vector<Given> given_clauses(const Contract& contract)
{
    std::vector<Given> all;
    bool roles_added = false;
    for (const Clause& clause : clause_table()) {
        if (clause.section != "role")
            add_given(all, clause, contract, nullptr, std::string(clause.section));
        else if (!std::exchange(roles_added, true))
            add_role_clauses(all, contract);
    }
    return all;
}

std::string value_of(const Contract& contract, std::string_view full_name)
{
    const Clause* clause = find_clause(full_name);
    if (clause == nullptr) return "";
    const auto role = contract.roles.find(role_of(full_name));
    if (clause->section == "role" && role == contract.roles.end()) return "";
    return clause->write(contract, role == contract.roles.end() ? nullptr : &role->second);
}

Result<Contract> with_clause(const Contract& contract, std::string_view full_name,
                             const std::optional<std::string>& value)
{
    Contract changed;
    changed.profile = contract.profile;
    for (const Given& given : given_clauses(contract)) {
        if (given.name == full_name || given.name == "contract.profile") continue;
        if (auto set = set_clause(changed, given.name, given.value); !set) return tl::unexpected(set.error());
    }
    if (!value) return changed;
    if (auto set = set_clause(changed, full_name, *value); !set) return tl::unexpected(set.error());
    return changed;
}

} // namespace mscale::contract
