#include "submit/node_list.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace mscale::submit {

namespace {

constexpr std::size_t longest_number = 20;
constexpr std::size_t beyond = most_name_bytes + 1; ///< no more is counted, so that nothing wraps

std::size_t multiply(std::size_t a, std::size_t b)
{
    return std::min(beyond, std::min(a, beyond) * std::min(b, beyond));
}

/// The numbers of "1-4" or "7"; nothing when it is neither.
std::optional<std::size_t> count_range(std::string_view range)
{
    const std::size_t dash = range.find('-');
    const auto low = parse_number(range.substr(0, dash));
    const auto high = dash == std::string_view::npos ? low : parse_number(range.substr(dash + 1));
    if (!low || !high || *high < *low) return std::nullopt;
    return std::min<std::uint64_t>(*high - *low, beyond - 1) + 1;
}

std::optional<std::size_t> count_ranges(std::string_view ranges)
{
    std::size_t count = 0;
    for (;;) {
        const std::size_t comma = ranges.find(',');
        const auto part = count_range(ranges.substr(0, comma));
        if (!part) return std::nullopt;
        count = std::min(beyond, count + *part);
        if (comma == std::string_view::npos) return count;
        ranges.remove_prefix(comma + 1);
    }
}

/// One name with its brackets: "n[1-3]", "rack[0-9]n[0-9]".
NodeListSize measure_name(std::string_view name)
{
    NodeListSize size{1, 0, true};
    while (!name.empty()) {
        const std::size_t open = std::min(name.find('['), name.size());
        size.bytes += open;
        name.remove_prefix(open);
        if (name.empty()) break;
        const std::size_t close = name.find(']');
        if (close == std::string_view::npos) return {0, 0, false};
        const auto count = count_ranges(name.substr(1, close - 1));
        if (!count) return {0, 0, false};
        size.nodes = multiply(size.nodes, *count);
        size.bytes += longest_number;
        name.remove_prefix(close + 1);
    }
    size.bytes = multiply(size.bytes, size.nodes);
    return size;
}

/// The comma that ends the first name, outside brackets.
std::size_t find_end(std::string_view list)
{
    bool is_inside = false;
    for (std::size_t at = 0; at < list.size(); ++at) {
        if (list[at] == '[') is_inside = true;
        if (list[at] == ']') is_inside = false;
        if (list[at] == ',' && !is_inside) return at;
    }
    return list.size();
}

} // namespace

NodeListSize measure_node_list(std::string_view expression)
{
    NodeListSize size;
    while (!expression.empty()) {
        const std::size_t end = find_end(expression);
        const NodeListSize name = measure_name(expression.substr(0, end));
        if (!name.is_readable) return name;
        if (end > 0) size.nodes = std::min(beyond, size.nodes + name.nodes);
        size.bytes = std::min(beyond, size.bytes + name.bytes);
        expression.remove_prefix(std::min(end + 1, expression.size()));
    }
    return size;
}

std::string find_list_fault(std::string_view name, const char* expression)
{
    if (!expression) return "";
    const NodeListSize size = measure_node_list(expression);
    if (!size.is_readable) return format("{}={} is no list of nodes", name, printable(expression, 60));
    if (size.nodes <= most_nodes && size.bytes <= most_name_bytes) return "";
    return format("{}={} names more than {} nodes or {} bytes", name, printable(expression, 60), most_nodes,
                  most_name_bytes);
}

} // namespace mscale::submit
