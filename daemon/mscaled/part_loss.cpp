#include "daemon/mscaled/part_loss.hpp"

#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

using std::chrono::milliseconds;

constexpr std::array<std::string_view, 4> way_words = {"reroute", "relaunch", "leave", "breach"};
constexpr std::array kinds = {PartKind::port, PartKind::disk, PartKind::gpu, PartKind::stepd};

Error unknown_word(const std::string& word, const std::string& what)
{
    return failure(Code::json_member, format("{}: '{}' is unknown", what, printable(word, 40))).value();
}

Result<PartKind> parse_kind(const std::string& word, const std::string& what)
{
    const auto found = std::ranges::find(kinds, word, name_of);
    if (found != kinds.end()) return *found;
    return tl::unexpected(unknown_word(word, what));
}

Result<WayBack> parse_way(const std::string& word, const std::string& what)
{
    const auto found = std::ranges::find(way_words, word);
    if (found != way_words.end()) return static_cast<WayBack>(found - way_words.begin());
    return tl::unexpected(unknown_word(word, what));
}

} // namespace

std::string_view to_string(WayBack way)
{
    return way_words.at(static_cast<std::size_t>(way));
}

WayBack choose_way_back(PartKind kind, const std::string& other)
{
    if (kind == PartKind::port) return WayBack::reroute;
    if (!other.empty()) return WayBack::relaunch;
    return kind == PartKind::gpu ? WayBack::leave : WayBack::breach;
}

std::string choose_carrier(const std::vector<PartFinding>& findings)
{
    for (const PartFinding& finding : findings)
        if (finding.part.kind == PartKind::port && finding.found.empty()) return finding.part.name;
    return "TCP";
}

bool is_past(const LostPart& lost, std::uint32_t newest_step)
{
    return lost.way != WayBack::reroute && lost.step && newest_step > *lost.step;
}

std::string describe(const LostPart& lost)
{
    const bool is_gpu = lost.part.kind == PartKind::gpu;
    const std::string fact =
        format("{} {} {} {}", name_of(lost.part.kind), lost.part.name, is_gpu ? "has failed:" : "is", lost.found);
    switch (lost.way) {
    case WayBack::reroute: return format("{}, snapshots go by {}", fact, lost.other);
    case WayBack::relaunch: return format("{}, {} takes its place", fact, lost.other);
    case WayBack::leave: return format("{}, and the job has no other here", fact);
    case WayBack::breach: break;
    }
    return format("{}, nothing here satisfies {}", fact, lost.part.clause);
}

Json to_json(const LostPart& lost)
{
    return {{"kind", name_of(lost.part.kind)},  {"name", lost.part.name},
            {"clause", lost.part.clause},       {"found", lost.found},
            {"other", lost.other},              {"way", to_string(lost.way)},
            {"whole", lost.whole.count()},      {"known", lost.known.count()},
            {"step", lost.step ? Json(*lost.step) : Json(nullptr)},
            {"text", describe(lost)}};
}

Result<LostPart> lost_part_from_json(const Json& json, const std::string& what)
{
    try {
        const auto kind = parse_kind(json.at("kind"), what);
        if (!kind) return tl::unexpected(kind.error());
        const auto way = parse_way(json.at("way"), what);
        if (!way) return tl::unexpected(way.error());
        LostPart lost{{*kind, json.at("name"), json.at("clause")},
                      json.at("found"),
                      json.at("other"),
                      *way,
                      milliseconds(json.at("whole").get<std::int64_t>()),
                      milliseconds(json.at("known").get<std::int64_t>())};
        if (!json.at("step").is_null()) lost.step = json.at("step").get<std::uint32_t>();
        return lost;
    } catch (const Json::exception& e) {
        return failure(Code::json_member, format("{}: {}", what, e.what()));
    }
}

} // namespace mscale::daemon
