#include "contract/nearest_text.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "contract/given.hpp"

namespace mscale::contract {
namespace {

bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
}

} // namespace

std::string quote_word(std::string_view text)
{
    if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
    std::string quoted = "'";
    for (const char c : text)
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    return quoted + "'";
}

std::string describe_changes(const Contract& asked, const Contract& nearest)
{
    std::vector<std::string> changed, added, dropped, parts;
    for (const Given& given : given_clauses(asked))
        if (const std::string now = value_of(nearest, given.name); now.empty())
            dropped.push_back(given.name);
        else if (now != given.value)
            changed.push_back(format("{} {} -> {}", given.name, given.value, now));
    for (const Given& given : given_clauses(nearest))
        if (value_of(asked, given.name).empty()) added.push_back(format("{}={}", given.name, given.value));
    if (!changed.empty()) parts.push_back("changes " + join(changed, ", "));
    if (!added.empty()) parts.push_back("adds " + join(added, ", "));
    if (!dropped.empty()) parts.push_back("drops " + join(dropped, ", "));
    return parts.empty() ? "" : "nearest " + join(parts, ", ");
}

} // namespace mscale::contract
