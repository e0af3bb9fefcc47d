#include "contract/clauses.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/clause_row.hpp"

namespace mscale::contract {
namespace {

std::vector<Clause> gather_clauses()
{
    std::vector<Clause> all;
    for (const auto rows :
         {contract_clauses(), gpu_clauses(), role_clauses(), rdma_clauses(), ft_clauses(), breach_clauses()})
        all.insert(all.end(), rows.begin(), rows.end());
    return all;
}

} // namespace

std::span<const Clause> clause_table()
{
    static const std::vector<Clause> all = gather_clauses();
    return all;
}

const Clause* find_clause(std::string_view full_name)
{
    const std::size_t first = full_name.find('.'), last = full_name.rfind('.');
    if (first == std::string_view::npos) return nullptr;
    const std::string_view section = full_name.substr(0, first), key = full_name.substr(last + 1);
    if ((section == "role") != (first != last)) return nullptr;
    const auto row = std::ranges::find_if(
        clause_table(), [&](const Clause& clause) { return clause.section == section && clause.key == key; });
    return row == clause_table().end() ? nullptr : &*row;
}

} // namespace mscale::contract
