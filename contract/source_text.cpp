#include "contract/source_text.hpp"

#include <algorithm>

namespace mscale::contract {

SourceText::SourceText(std::string_view text, std::string_view name)
    : text_(text), name_(name), line_begins_{0}
{
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
    for (std::size_t at = text_.find('\n'); at != std::string_view::npos; at = text_.find('\n', at + 1))
        line_begins_.push_back(at + 1);
}

std::string_view SourceText::line(std::size_t number) const
{
    if (number == 0 || number > line_begins_.size()) return {};
    const std::size_t begin = line_begins_[number - 1];
    const std::string_view rest = text_.substr(begin);
    const std::string_view whole = rest.substr(0, rest.find('\n'));
    return whole.ends_with('\r') ? whole.substr(0, whole.size() - 1) : whole;
}

Spot SourceText::spot_at(std::size_t offset, std::size_t width) const
{
    const auto after = std::ranges::upper_bound(line_begins_, offset);
    const auto number = static_cast<std::size_t>(after - line_begins_.begin());
    return {number, offset - line_begins_[number - 1] + 1, std::max<std::size_t>(width, 1)};
}

Place SourceText::place_of(const Spot& spot) const
{
    return {name_, spot.line, spot.column, spot.width, std::string(line(spot.line))};
}

Spot SourceText::heading_above(const Spot& spot) const
{
    for (std::size_t number = spot.line; number > 0; --number)
        if (line(number).starts_with('[')) return {number, 1, trim(line(number)).size()};
    return spot;
}

} // namespace mscale::contract
