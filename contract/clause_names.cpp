#include "contract/clause_names.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace mscale::contract {
namespace {

constexpr std::size_t role_limit = 32; ///< with its suffix it stays a short environment name
constexpr std::string_view sections[] = {"contract", "gpu", "role", "rdma", "ft", "trace", "on_breach"};

std::string did_you_mean(const std::optional<std::string>& nearest, std::string_view otherwise)
{
    return nearest ? format("did you mean '{}'?", *nearest) : std::string(otherwise);
}

std::string prefix_of(const Clause& clause, std::string_view role)
{
    return clause.section == "role" ? format("role.{}.", role) : format("{}.", clause.section);
}

/// The name of the clause that was most likely meant: in the given section, else under the same key elsewhere.
std::optional<std::string> find_meant(std::string_view section, std::string_view role, std::string_view key)
{
    std::vector<std::string_view> keys;
    for (const Clause& clause : clause_table())
        if (clause.section == section) keys.push_back(clause.key);
    const auto nearest = nearest_spelling(lower_case(key), keys);
    for (const Clause& clause : clause_table())
        if (nearest && clause.section == section && clause.key == *nearest)
            return prefix_of(clause, role) + *nearest;
    for (const Clause& clause : clause_table())
        if (clause.key == lower_case(key))
            return prefix_of(clause, role.empty() ? "NAME" : role) + std::string(clause.key);
    return std::nullopt;
}

tl::unexpected<Error> refuse_section(std::string_view section)
{
    if (section == "phase")
        return failure(Code::unknown_section, "sections [phase.NAME] are reserved", "leave the section out");
    return failure(
        Code::unknown_section, format("there is no section '{}'", printable(section)),
        did_you_mean(nearest_spelling(lower_case(section), sections), entry_of(Code::unknown_section).cure));
}

tl::unexpected<Error> refuse_key(std::string_view name, std::string_view section, std::string_view role,
                                 std::string_view key)
{
    return failure(Code::unknown_key, format("there is no clause '{}'", printable(name)),
                   did_you_mean(find_meant(section, role, key), "see `mscale explain --clauses`"));
}

bool is_role_name(std::string_view name)
{
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
    return !name.empty() && name.size() <= role_limit && is_letter(name.front()) &&
           std::ranges::all_of(name, fits);
}

Result<std::string> read_role_name(std::string_view role)
{
    if (is_role_name(role)) return std::string(role);
    return failure(
        Code::bad_name, format("'{}' is no role's name", printable(role)),
        format("role names begin with a-z and go on with a-z, 0-9 and _; {} bytes at most", role_limit));
}

} // namespace

Result<ClauseName> read_clause_name(std::string_view name)
{
    const auto parts = split(name, '.');
    const std::string_view section = parts.front(), key = parts.back();
    if (parts.size() == 1) return refuse_key(name, "", "", key);
    if (std::ranges::find(sections, section) == std::end(sections)) return refuse_section(section);
    const bool is_role = section == "role";
    if (is_role && parts.size() == 2)
        return failure(Code::unknown_section, format("'{}' names no role", printable(name)),
                       "a role has a name: role.NAME.key, or [role.NAME] in a file");
    if (parts.size() != (is_role ? 3U : 2U)) return refuse_key(name, section, is_role ? parts[1] : "", key);
    std::string role;
    if (is_role) {
        auto read = read_role_name(parts[1]);
        if (!read) return tl::unexpected(read.error());
        role = std::move(*read);
    }
    const auto is_meant = [&](const Clause& clause) {
        return clause.section == section && clause.key == key;
    };
    const auto row = std::ranges::find_if(clause_table(), is_meant);
    if (row == clause_table().end()) return refuse_key(name, section, role, key);
    return ClauseName{&*row, std::move(role), std::string(name)};
}

} // namespace mscale::contract
