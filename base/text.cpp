#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

namespace mscale {
namespace {

constexpr std::size_t excerpt_before = 40; ///< bytes of a long line shown before the fault
constexpr std::size_t excerpt_width = 100;

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

bool is_plain(char c)
{
    return c >= ' ' && c <= '~';
}

std::string show_byte(char c)
{
    return is_plain(c) ? std::string(1, c) : format("\\x{:02X}", static_cast<unsigned char>(c));
}

/// Edits (insert, remove, replace, swap of neighbours) from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), 0U);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = last;
        std::swap(last, row);
    }
    return last[b.size()];
}

} // namespace

std::string mark(const Place& place)
{
    const std::string_view line = place.excerpt;
    const std::size_t fault = std::min(place.column > 0 ? place.column - 1 : 0, line.size());
    const std::size_t begin =
        line.size() > excerpt_width && fault > excerpt_before ? fault - excerpt_before : 0;
    const std::size_t end = std::min(line.size(), begin + excerpt_width);
    std::string shown = begin > 0 ? "..." : "";
    std::size_t indent = 0, carets = 0;
    for (std::size_t i = begin; i < end; ++i) {
        if (i == fault) indent = shown.size();
        shown += show_byte(line[i]);
        if (i >= fault && i < fault + place.width) carets = shown.size() - indent;
    }
    if (fault >= end) indent = shown.size();
    if (end < line.size()) shown += "...";
    return format("{}\n{}{}", shown, std::string(indent, ' '),
                  "^" + std::string(carets > 1 ? carets - 1 : 0, '~'));
}

std::string_view trim(std::string_view text)
{
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::string lower_case(std::string_view text)
{
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return lower;
}

std::string join(std::span<const std::string> parts, std::string_view separator)
{
    std::string joined;
    for (const std::string& part : parts) joined.append(&part == parts.data() ? "" : separator).append(part);
    return joined;
}

std::optional<std::uint64_t> parse_number(std::string_view text)
{
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, number);
    if (fault != std::errc{} || stop != end) return std::nullopt;
    return number;
}

std::optional<std::string> nearest_spelling(std::string_view read,
                                            std::span<const std::string_view> candidates)
{
    std::optional<std::string> best;
    std::size_t least = std::max<std::size_t>(1, read.size() / 3) + 1;
    for (const std::string_view candidate : candidates) {
        const std::size_t longer = std::max(read.size(), candidate.size());
        // Each byte more is an edit, and a user's word may be 64 KiB long.
        if (longer - std::min(read.size(), candidate.size()) >= least) continue;
        const std::size_t distance = edit_distance(read, candidate);
        if (distance >= least) continue;
        least = distance;
        best = candidate;
    }
    return best;
}

std::string printable(std::string_view text, std::size_t limit)
{
    std::string shown;
    for (const char c : text) {
        const std::string byte = show_byte(c);
        if (shown.size() + byte.size() > limit) return shown + "…";
        shown += byte;
    }
    return shown;
}

std::string format_bytes(std::uint64_t bytes)
{
    constexpr std::array units = {"TiB", "GiB", "MiB", "KiB"};
    for (std::size_t i = 0; i < units.size(); ++i) {
        const std::uint64_t unit = std::uint64_t{1} << (40 - 10 * i);
        if (bytes < unit) continue;
        if (bytes % unit == 0) return format("{} {}", bytes / unit, units[i]);
        const bool has_half = bytes % (unit / 2) == 0;
        if (has_half) return format("{}.5 {}", bytes / unit, units[i]);
    }
    return format("{} bytes", bytes);
}

} // namespace mscale
