#include <algorithm>

#include "base/text.hpp"
#include "recovery/timeline.hpp"

namespace mscale::recovery {
namespace {

constexpr std::int64_t margin = 100, chart = 600, row_height = 28, title_height = 40;
constexpr const char* colours[] = {"#c0392b", "#d68910", "#2471a3", "#148f77", "#1e8449", "#6c3483"};

std::string escape(const std::string& text)
{
    std::string escaped;
    for (const char c : printable(text)) {
        if (c == '&')
            escaped += "&amp;";
        else if (c == '<')
            escaped += "&lt;";
        else if (c == '>')
            escaped += "&gt;";
        else if (c == '"')
            escaped += "&quot;";
        else
            escaped += c;
    }
    return escaped;
}

std::string draw_text(std::int64_t x, std::int64_t y, const std::string& anchor, const std::string& text)
{
    return format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escape(text));
}

std::int64_t place_of(std::chrono::milliseconds time, std::chrono::milliseconds total)
{
    if (total.count() <= 0) return margin;
    const double share = static_cast<double>(time.count()) / static_cast<double>(total.count());
    return margin + static_cast<std::int64_t>(share * static_cast<double>(chart));
}

std::string draw_span(const PhaseSpan& span, std::chrono::milliseconds total, std::int64_t top)
{
    const std::int64_t left = place_of(span.begin, total), right = place_of(span.end, total);
    const std::string label = format("{} ms", (span.end - span.begin).count());
    // A label beside a bar that ends in the right half would leave the drawing.
    const bool is_right = right > margin + chart / 2;
    return draw_text(margin - 8, top + 18, "end", name_of(span.phase)) +
           format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"20\" fill=\"{}\"><title>{}</title></rect>\n",
                  left, top + 3, std::max<std::int64_t>(right - left, 1),
                  colours[static_cast<std::size_t>(span.phase)], escape(span.what)) +
           draw_text(is_right ? left - 6 : right + 6, top + 18, is_right ? "end" : "start", label);
}

} // namespace

std::string to_svg(const Timeline& timeline)
{
    const auto total = total_of(timeline);
    const auto rows = static_cast<std::int64_t>(timeline.spans.size());
    const std::int64_t width = margin + chart + 40, height = title_height + rows * row_height + 30;
    std::string svg = format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                             "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"13\">\n"
                             "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
                             width, height);
    svg += draw_text(8, 22, "start",
                     format("job {}: {} lost, went on with step {} after {} ms", timeline.job_id,
                            timeline.lost, timeline.step + 1, total.count()));
    std::int64_t top = title_height;
    for (const PhaseSpan& span : timeline.spans) {
        svg += draw_span(span, total, top);
        top += row_height;
    }
    svg += format("<line x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{1}\" stroke=\"black\"/>\n", margin, top + 4,
                  margin + chart);
    svg += draw_text(margin, top + 20, "start", "0") +
           draw_text(margin + chart, top + 20, "end", format("{} ms", total.count()));
    return svg + "</svg>\n";
}

} // namespace mscale::recovery
