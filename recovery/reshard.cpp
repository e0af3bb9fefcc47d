#include "recovery/reshard.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "recovery/boxes.hpp"
#include "recovery/checksum.hpp"

namespace mscale::recovery {
namespace {

/// An extent of one of the ranks that wrote.
struct Source {
    std::uint32_t rank = 0;
    const Extent* extent = nullptr;
};

tl::unexpected<Error> refuse(const Extent& wanted, std::string why)
{
    return failure(Code::reshape, format("'{}': {}", printable(wanted.name), why));
}

std::vector<Source> find_sources(std::span<const Manifest> written, const Extent& wanted)
{
    std::vector<Source> sources;
    for (std::size_t rank = 0; rank < written.size(); ++rank)
        for (const Extent& extent : written[rank].extents)
            if (extent.name == wanted.name) sources.push_back({static_cast<std::uint32_t>(rank), &extent});
    return sources;
}

Result<void> check_wanted(const Extent& wanted)
{
    if (wanted.kind != ExtentKind::tensor) return {};
    Manifest manifest{wanted.bytes, {wanted}, {}};
    manifest.extents[0].at = 0;
    manifest.chunks.resize((wanted.bytes + chunk_bytes - 1) / chunk_bytes);
    if (auto checked = check_manifest(manifest); !checked)
        return failure(Code::reshape, std::move(checked.error().text));
    return {};
}

Result<void> check_source(const Source& source, const Extent& wanted)
{
    const Extent& extent = *source.extent;
    if (extent.kind != wanted.kind)
        return refuse(wanted, format("rank {} saved it as another kind", source.rank));
    if (wanted.kind != ExtentKind::tensor) return {};
    if (extent.type != wanted.type)
        return refuse(wanted, format("rank {} saved it with another type", source.rank));
    if (extent.global != wanted.global)
        return refuse(wanted, format("rank {} saved it with another global shape", source.rank));
    return {};
}

/// All of each source, one after the other.
ReadPlan read_whole(const std::vector<Source>& sources)
{
    ReadPlan plan;
    for (const Source& source : sources) {
        plan.pieces.push_back({.rank = source.rank,
                               .from = source.extent->at,
                               .to = plan.bytes,
                               .bytes = source.extent->bytes});
        plan.bytes += source.extent->bytes;
    }
    return plan;
}

/// The rank's own, else one that depends on the rank.
const Source& choose_source(const std::vector<Source>& same, std::uint32_t rank)
{
    const auto own = std::ranges::find(same, rank, &Source::rank);
    return own != same.end() ? *own : same[rank % same.size()];
}

Result<ReadPlan> plan_own(const std::vector<Source>& sources, const Extent& wanted, std::uint32_t rank)
{
    const auto own = std::ranges::find(sources, rank, &Source::rank);
    if (own == sources.end()) return refuse(wanted, format("rank {} didn't save it", rank));
    return read_whole({*own});
}

Result<ReadPlan> plan_shared(const std::vector<Source>& sources, const Extent& wanted, std::uint32_t rank)
{
    for (const Source& source : sources)
        if (source.extent->bytes != sources[0].extent->bytes)
            return refuse(wanted,
                          format("it is shared, but rank {} saved {} bytes and rank {} {}", source.rank,
                                 source.extent->bytes, sources[0].rank, sources[0].extent->bytes));
    return read_whole({choose_source(sources, rank)});
}

Result<ReadPlan> plan_cursors(const std::vector<Source>& sources, const Extent& wanted, std::size_t written)
{
    if (sources.size() != written)
        return refuse(wanted, format("{} of {} ranks saved where they stood", sources.size(), written));
    ReadPlan plan = read_whole(sources);
    plan.is_cursors = true;
    return plan;
}

/// One source for each different part that the wanted one touches.
std::vector<Source> choose_parts(const std::vector<Source>& sources, const Extent& wanted, std::uint32_t rank)
{
    std::map<std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>>, std::vector<Source>> parts;
    for (const Source& source : sources)
        if (intersect(box_of(*source.extent), box_of(wanted)))
            parts[{source.extent->offset, source.extent->shape}].push_back(source);
    std::vector<Source> chosen;
    for (const auto& [part, same] : parts) chosen.push_back(choose_source(same, rank));
    return chosen;
}

/// Nothing twice and nothing left out.
Result<void> check_cover(const std::vector<Source>& parts, const Extent& wanted)
{
    std::uint64_t covered = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Box common = *intersect(box_of(*parts[i].extent), box_of(wanted));
        for (std::size_t j = 0; j < i; ++j)
            if (intersect(common, box_of(*parts[j].extent)))
                return refuse(wanted, format("the parts of ranks {} and {} overlap without being the same",
                                             parts[j].rank, parts[i].rank));
        covered += volume_of(common);
    }
    if (covered == volume_of(box_of(wanted))) return {};
    return refuse(wanted, format("{} of its {} elements were saved by no rank",
                                 volume_of(box_of(wanted)) - covered, volume_of(box_of(wanted))));
}

Result<ReadPlan> plan_tensor(const std::vector<Source>& sources, const Extent& wanted, std::uint32_t rank)
{
    const auto parts = choose_parts(sources, wanted, rank);
    if (auto checked = check_cover(parts, wanted); !checked)
        return tl::unexpected(std::move(checked.error()));
    ReadPlan plan;
    plan.bytes = wanted.bytes;
    for (const Source& part : parts)
        if (!append_runs(plan.pieces, part.rank, *part.extent, wanted))
            return refuse(wanted, format("it would take more than {} reads", most_pieces));
    return plan;
}

} // namespace

Result<ReadPlan> plan_read(std::span<const Manifest> written, const Extent& wanted, std::uint32_t rank,
                           std::uint32_t ranks)
{
    if (auto checked = check_wanted(wanted); !checked) return tl::unexpected(std::move(checked.error()));
    const auto sources = find_sources(written, wanted);
    if (sources.empty()) return refuse(wanted, format("none of {} ranks saved it", written.size()));
    for (const Source& source : sources)
        if (auto checked = check_source(source, wanted); !checked)
            return tl::unexpected(std::move(checked.error()));
    if (wanted.kind == ExtentKind::tensor) return plan_tensor(sources, wanted, rank);
    if (wanted.kind == ExtentKind::shared) return plan_shared(sources, wanted, rank);
    if (ranks == written.size()) return plan_own(sources, wanted, rank);
    if (wanted.kind == ExtentKind::cursor) return plan_cursors(sources, wanted, written.size());
    return refuse(wanted, format("it is opaque: {} ranks saved it, {} can't take it", written.size(), ranks));
}

} // namespace mscale::recovery
