#include "contract/redundancy.hpp"

#include "base/text.hpp"

namespace mscale::contract {
namespace {

/// 0 for what the clause wouldn't take.
unsigned read_group_part(std::string_view text)
{
    return static_cast<unsigned>(parse_number(text).value_or(0));
}

} // namespace

CodingScheme coding_scheme_of(const Ft& ft)
{
    const std::string_view text = ft.redundancy ? std::string_view(*ft.redundancy) : "partner";
    if (text.starts_with("xor:")) return {read_group_part(text.substr(4)), 1};
    const std::size_t plus = text.find('+');
    if (!text.starts_with("rs:") || plus == std::string_view::npos) return {};
    const unsigned parity = read_group_part(text.substr(plus + 1));
    return {read_group_part(text.substr(3, plus - 3)) + parity, parity};
}

unsigned count_copies(const Ft& ft)
{
    return ft.copies.value_or(coding_scheme_of(ft).members > 0 ? 0 : 1);
}

} // namespace mscale::contract
