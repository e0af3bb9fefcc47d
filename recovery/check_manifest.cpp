#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "recovery/checksum.hpp"
#include "recovery/manifest.hpp"

namespace mscale::recovery {
namespace {

tl::unexpected<Error> wrong(const Extent& extent, std::string what)
{
    return failure(Code::snapshot_damaged, format("extent '{}': {}", printable(extent.name), what));
}

/// The bytes of a tensor of this shape, or nothing when they don't fit a number.
std::optional<std::uint64_t> bytes_of_shape(DataType type, const std::vector<std::uint64_t>& shape)
{
    std::uint64_t bytes = size_of(type);
    for (const std::uint64_t axis : shape)
        if (__builtin_mul_overflow(bytes, axis, &bytes)) return std::nullopt;
    return bytes;
}

Result<void> check_shape(const Extent& extent)
{
    if (extent.kind != ExtentKind::tensor)
        return extent.shape.empty() ? Result<void>() : wrong(extent, "only a tensor has a shape");
    if (!bytes_of_shape(extent.type, extent.global)) return wrong(extent, "its global shape is too large");
    for (std::size_t i = 0; i < extent.shape.size(); ++i)
        if (extent.offset[i] > extent.global[i] || extent.shape[i] > extent.global[i] - extent.offset[i])
            return wrong(extent, format("axis {}: {} from {} pass {}", i, extent.shape[i], extent.offset[i],
                                        extent.global[i]));
    const auto bytes = bytes_of_shape(extent.type, extent.shape);
    if (!bytes || *bytes != extent.bytes)
        return wrong(extent, format("{} bytes aren't those of its shape", extent.bytes));
    return {};
}

Result<void> check_kind(const Extent& extent)
{
    if (extent.kind > ExtentKind::shared || extent.type > DataType::complex128)
        return wrong(extent, "it is of an unknown kind or type");
    if (extent.shape.size() > most_axes || extent.global.size() != extent.shape.size() ||
        extent.offset.size() != extent.shape.size())
        return wrong(extent, format("shape, offset and global shape have {}, {} and {} axes",
                                    extent.shape.size(), extent.offset.size(), extent.global.size()));
    return {};
}

Result<void> check_extent(const Extent& extent, std::uint64_t data_bytes)
{
    if (auto checked = check_kind(extent); !checked) return checked;
    if (extent.name.empty() || extent.name.size() > longest_name)
        return wrong(extent, "its name is empty or too long");
    if (extent.at > data_bytes || extent.bytes > data_bytes - extent.at)
        return wrong(extent,
                     format("{} bytes from {} pass the {} of the data", extent.bytes, extent.at, data_bytes));
    return check_shape(extent);
}

Result<void> check_overlaps(const std::vector<Extent>& extents)
{
    std::vector<const Extent*> sorted;
    for (const Extent& extent : extents)
        if (extent.bytes > 0) sorted.push_back(&extent);
    std::ranges::sort(sorted, {}, [](const Extent* extent) { return extent->at; });
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i - 1]->at + sorted[i - 1]->bytes > sorted[i]->at)
            return wrong(*sorted[i], format("overlaps '{}'", printable(sorted[i - 1]->name)));
    return {};
}

Result<void> check_names(const std::vector<Extent>& extents)
{
    std::set<std::string_view> names;
    for (const Extent& extent : extents)
        if (!names.insert(extent.name).second) return wrong(extent, "the name stands twice");
    return {};
}

} // namespace

unsigned size_of(DataType type)
{
    static constexpr unsigned sizes[] = {1, 2, 2, 4, 8, 1, 1, 2, 4, 8, 1, 8, 16};
    return sizes[static_cast<std::size_t>(type)];
}

Result<void> check_manifest(const Manifest& manifest)
{
    if (manifest.data_bytes > std::numeric_limits<std::uint64_t>::max() - chunk_bytes ||
        manifest.chunks.size() != (manifest.data_bytes + chunk_bytes - 1) / chunk_bytes)
        return failure(Code::snapshot_damaged, format("manifest: {} checksums for {} bytes",
                                                      manifest.chunks.size(), manifest.data_bytes));
    if (manifest.extents.size() > most_extents)
        return failure(Code::snapshot_damaged, format("manifest: {} extents, at most {} can be",
                                                      manifest.extents.size(), most_extents));
    for (const Extent& extent : manifest.extents)
        if (auto checked = check_extent(extent, manifest.data_bytes); !checked) return checked;
    if (auto checked = check_names(manifest.extents); !checked) return checked;
    return check_overlaps(manifest.extents);
}

} // namespace mscale::recovery
