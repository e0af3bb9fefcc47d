#include "hal/text_box.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.hpp"

namespace mscale::hal {
namespace {

constexpr std::string_view gap = " ";

bool starts_character(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}

std::string repeat(std::string_view text, std::size_t count)
{
    std::string repeated;
    for (std::size_t i = 0; i < count; ++i) repeated += text;
    return repeated;
}

std::string prefix_of(std::string_view text, std::size_t width)
{
    std::size_t end = 0;
    for (std::size_t columns = 0; end < text.size(); ++end)
        if (starts_character(text[end]) && columns++ == width) break;
    return std::string(text.substr(0, end));
}

std::string blank_row(const Lines& box)
{
    return "│" + repeat(" ", display_width(box.front()) - 2) + "│";
}

void append_row(Lines& lines, std::vector<Lines>& row)
{
    std::size_t height = 0;
    for (const Lines& box : row) height = std::max(height, box.size());
    for (Lines& box : row) box.insert(box.end() - 1, height - box.size(), blank_row(box));
    for (std::size_t i = 0; i < height; ++i) {
        std::string line;
        for (const Lines& box : row) line += (line.empty() ? "" : std::string(gap)) + box[i];
        lines.push_back(std::move(line));
    }
}

} // namespace

std::size_t display_width(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string fit(std::string_view text, std::size_t width)
{
    const std::size_t present = display_width(text);
    if (present <= width) return std::string(text) + repeat(" ", width - present);
    return width == 0 ? std::string() : prefix_of(text, width - 1) + "…";
}

Lines draw_box(std::string_view title, const std::vector<Lines>& sections, std::size_t width)
{
    const std::size_t inner = std::max<std::size_t>(width, 5) - 4;
    const std::string head = prefix_of(title, inner - 1);
    Lines lines{"┌ " + head + " " + repeat("─", inner - display_width(head)) + "┐"};
    for (const Lines& section : sections) {
        if (section.empty()) continue;
        if (lines.size() > 1) lines.push_back("├" + repeat("─", inner + 2) + "┤");
        for (const std::string& line : section) lines.push_back("│ " + fit(line, inner) + " │");
    }
    lines.push_back("└" + repeat("─", inner + 2) + "┘");
    return lines;
}

Lines arrange_boxes(std::vector<Lines> boxes, std::size_t per_row)
{
    Lines lines;
    for (std::size_t first = 0; first < boxes.size(); first += per_row) {
        const auto begin = boxes.begin() + static_cast<std::ptrdiff_t>(first);
        const std::size_t count = std::min(per_row, boxes.size() - first);
        std::vector<Lines> row(std::make_move_iterator(begin),
                               std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(count)));
        append_row(lines, row);
    }
    return lines;
}

Lines wrap(std::string_view text, std::size_t width, std::size_t indent)
{
    Lines lines;
    std::string line;
    for (const std::string_view word : split(text, ' ')) {
        const bool fits = display_width(line) + 1 + display_width(word) <= width;
        if (!line.empty() && !fits)
            lines.push_back(std::exchange(line, repeat(" ", indent)));
        else if (!line.empty())
            line += ' ';
        line += word;
    }
    lines.push_back(std::move(line));
    for (std::string& wrapped : lines)
        if (display_width(wrapped) > width) wrapped = fit(wrapped, width);
    return lines;
}

} // namespace mscale::hal
