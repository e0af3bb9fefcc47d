#include "submit/slice_request.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace mscale::submit {

namespace {

/// The units that one element asks when it names this GRES.
std::optional<std::uint64_t> read_element(std::string_view element, std::string_view name)
{
    element = trim(element);
    for (const std::string_view prefix : {"gres:", "gres/"})
        if (element.starts_with(prefix)) element.remove_prefix(prefix.size());
    const std::string_view rest = element.substr(std::min(name.size(), element.size()));
    if (!element.starts_with(name) || (!rest.empty() && rest[0] != ':' && rest[0] != '='))
        return std::nullopt;
    const std::size_t last = element.find_last_of(":=");
    return last == std::string_view::npos ? 1 : parse_number(element.substr(last + 1)).value_or(1);
}

} // namespace

std::optional<std::uint64_t> find_gres(std::string_view tres, std::string_view name)
{
    std::optional<std::uint64_t> units;
    while (!tres.empty()) {
        const std::size_t end = std::min(tres.find_first_of(",;"), tres.size());
        if (auto found = read_element(tres.substr(0, end), name)) units = units.value_or(0) + *found;
        tres.remove_prefix(std::min(end + 1, tres.size()));
    }
    return units;
}

Result<std::string> add_slices(const std::string& tres_per_node, const std::string& other_tres,
                               const std::string& name, std::uint64_t count, const std::string& prefix)
{
    const std::string cure = format("leave {} out of the options of Slurm, the contract asks for it", name);
    if (find_gres(other_tres, name))
        return failure(Code::conflict,
                       format("the job asks {} by itself, and the contract sets {} per node", name, count),
                       cure);
    if (const auto asked = find_gres(tres_per_node, name)) {
        if (*asked == count) return tres_per_node;
        return failure(
            Code::conflict,
            format("the job asks --gres={}:{} and the contract needs {} per node", name, *asked, count),
            cure);
    }
    return format("{}{}{}{}:{}", tres_per_node, tres_per_node.empty() ? "" : ",", prefix, name, count);
}

} // namespace mscale::submit
