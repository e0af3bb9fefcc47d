#include "recovery/timeline.hpp"

#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::recovery {
namespace {

using std::chrono::milliseconds;

constexpr std::array<const char*, 6> names = {"detect", "fence", "launch", "fetch", "restore", "first step"};

Result<Phase> phase_of(const std::string& name, const std::string& what)
{
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<Phase>(found - names.begin());
    return failure(Code::json_member, format("{}: there is no phase '{}'", what, printable(name)));
}

/// `time` of a total, as a place from 0 to `width`.
std::int64_t scale(milliseconds time, milliseconds total, std::int64_t width)
{
    if (total.count() <= 0) return 0;
    const auto place = static_cast<double>(time.count()) / static_cast<double>(total.count());
    return static_cast<std::int64_t>(place * static_cast<double>(width));
}

std::string draw_bar(const PhaseSpan& span, milliseconds total)
{
    constexpr std::int64_t width = 40;
    const std::int64_t begin = scale(span.begin, total, width);
    const std::int64_t end = std::max(scale(span.end, total, width), begin + 1);
    std::string bar(static_cast<std::size_t>(width + 1), ' ');
    for (std::int64_t i = begin; i < std::min(end, width + 1); ++i) bar[static_cast<std::size_t>(i)] = '#';
    return bar;
}

std::string title_of(const Timeline& timeline)
{
    return format("job {}: {} lost at {}, went on with step {} after {} ms", timeline.job_id,
                  printable(timeline.lost), printable(timeline.lost_at), timeline.step + 1,
                  total_of(timeline).count());
}

} // namespace

std::string name_of(Phase phase)
{
    return names[static_cast<std::size_t>(phase)];
}

milliseconds total_of(const Timeline& timeline)
{
    milliseconds total{};
    for (const PhaseSpan& span : timeline.spans) total = std::max(total, span.end);
    return total;
}

std::string to_text(const Timeline& timeline)
{
    const milliseconds total = total_of(timeline);
    std::string text = title_of(timeline) + "\n";
    for (const PhaseSpan& span : timeline.spans)
        text += format("  {:<10} {:>7} ms  |{}| {}\n", name_of(span.phase), (span.end - span.begin).count(),
                       draw_bar(span, total), printable(span.what));
    return text + format("  {:<10} {:>7} ms\n", "total", total.count());
}

Json to_json(const Timeline& timeline)
{
    Json spans = Json::array();
    for (const PhaseSpan& span : timeline.spans)
        spans.push_back({{"phase", name_of(span.phase)},
                         {"begin_ms", span.begin.count()},
                         {"end_ms", span.end.count()},
                         {"what", span.what}});
    return {{"job", timeline.job_id}, {"lost", timeline.lost},     {"lost_at", timeline.lost_at},
            {"step", timeline.step},  {"spans", std::move(spans)}, {"total_ms", total_of(timeline).count()}};
}

Result<Timeline> timeline_from_json(const Json& json, const std::string& what)
{
    Timeline timeline;
    try {
        timeline.job_id = json.at("job").get<std::uint32_t>();
        timeline.lost = json.at("lost").get<std::string>();
        timeline.lost_at = json.at("lost_at").get<std::string>();
        timeline.step = json.at("step").get<std::uint64_t>();
        for (const Json& span : json.at("spans")) {
            const auto phase = phase_of(span.at("phase").get<std::string>(), what);
            if (!phase) return tl::unexpected(phase.error());
            const milliseconds begin(span.at("begin_ms").get<std::int64_t>());
            const milliseconds end(span.at("end_ms").get<std::int64_t>());
            if (begin.count() < 0 || end < begin)
                return failure(Code::json_member, format("{}: a phase ends before it begins", what));
            timeline.spans.push_back({*phase, begin, end, span.at("what").get<std::string>()});
        }
    } catch (const Json::exception& e) {
        return failure(Code::json_member, format("{}: {}", what, e.what()));
    }
    return timeline;
}

} // namespace mscale::recovery
