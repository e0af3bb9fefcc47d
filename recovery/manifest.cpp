#include "recovery/manifest.hpp"

#include <span>

#include "base/text.hpp"
#include "recovery/bytes.hpp"
#include "recovery/checksum.hpp"

namespace mscale::recovery {
namespace {

constexpr std::uint32_t manifest_magic = 0x314d534d; // "MSM1"
constexpr std::size_t checksum_bytes = sizeof(std::uint32_t);
constexpr std::size_t smallest_extent = 2 + 4 + 16; // bytes of an encoded extent without name and axes

std::uint32_t checksum_of(std::string_view bytes)
{
    return crc32c(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

tl::unexpected<Error> damaged(std::string what)
{
    return failure(Code::snapshot_damaged, "manifest: " + std::move(what));
}

void put_axes(ByteWriter& writer, const std::vector<std::uint64_t>& axes)
{
    for (const std::uint64_t axis : axes) writer.put(axis);
}

void put_extent(ByteWriter& writer, const Extent& extent)
{
    writer.put_text(extent.name);
    writer.put(static_cast<std::uint8_t>(extent.kind));
    writer.put(static_cast<std::uint8_t>(extent.type));
    writer.put(static_cast<std::uint16_t>(extent.shape.size()));
    put_axes(writer, extent.global);
    put_axes(writer, extent.offset);
    put_axes(writer, extent.shape);
    writer.put(extent.at);
    writer.put(extent.bytes);
}

std::vector<std::uint64_t> get_axes(ByteReader& reader, std::size_t count)
{
    std::vector<std::uint64_t> axes(count);
    for (std::uint64_t& axis : axes) axis = reader.get<std::uint64_t>();
    return axes;
}

Result<Extent> get_extent(ByteReader& reader)
{
    Extent extent;
    extent.name = reader.get_text();
    const auto kind = reader.get<std::uint8_t>();
    const auto type = reader.get<std::uint8_t>();
    const std::size_t axes = reader.get<std::uint16_t>();
    if (kind > static_cast<std::uint8_t>(ExtentKind::shared) ||
        type > static_cast<std::uint8_t>(DataType::complex128))
        return damaged(
            format("extent '{}' is of unknown kind {} or type {}", printable(extent.name), kind, type));
    if (axes > most_axes) return damaged(format("extent '{}' has {} axes", printable(extent.name), axes));
    extent.kind = static_cast<ExtentKind>(kind);
    extent.type = static_cast<DataType>(type);
    extent.global = get_axes(reader, axes);
    extent.offset = get_axes(reader, axes);
    extent.shape = get_axes(reader, axes);
    extent.at = reader.get<std::uint64_t>();
    extent.bytes = reader.get<std::uint64_t>();
    return extent;
}

Result<void> get_extents(ByteReader& reader, Manifest& manifest)
{
    const std::size_t count = reader.get<std::uint32_t>();
    if (count > most_extents || count > reader.left() / smallest_extent)
        return damaged(format("{} extents are more than it can hold", count));
    manifest.extents.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        auto extent = get_extent(reader);
        if (!extent) return tl::unexpected(std::move(extent.error()));
        if (reader.failed()) return damaged(format("it ends in extent {} of {}", i, count));
        manifest.extents.push_back(std::move(*extent));
    }
    return {};
}

Result<void> get_chunks(ByteReader& reader, Manifest& manifest)
{
    const std::size_t count = reader.get<std::uint32_t>();
    if (count > reader.left() / sizeof(std::uint32_t))
        return damaged(format("{} chunks are more than it can hold", count));
    manifest.chunks.resize(count);
    for (std::uint32_t& chunk : manifest.chunks) chunk = reader.get<std::uint32_t>();
    return {};
}

/// The minor number of the format.
Result<std::uint16_t> read_start(ByteReader& reader, std::string_view bytes)
{
    if (reader.get<std::uint32_t>() != manifest_magic) return damaged("it doesn't begin as one");
    const auto major = reader.get<std::uint16_t>();
    const auto minor = reader.get<std::uint16_t>();
    if (major > format_major)
        return failure(Code::snapshot_version,
                       format("manifest: format {} is newer than {}, the newest known", major, format_major));
    ByteReader end(bytes.substr(bytes.size() - checksum_bytes));
    if (end.get<std::uint32_t>() != checksum_of(bytes.substr(0, bytes.size() - checksum_bytes)))
        return damaged("its checksum is wrong");
    if (major < format_major) return damaged(format("there never was a format {}", major));
    return minor;
}

/// A greater minor adds at the end, where this reader doesn't look.
Result<void> check_end(const ByteReader& reader, std::uint16_t minor)
{
    if (reader.failed()) return damaged("it ends too early");
    if (minor <= format_minor && reader.left() > 0)
        return damaged(format("{} bytes stand after its end", reader.left()));
    return {};
}

} // namespace

std::string encode_manifest(const Manifest& manifest)
{
    ByteWriter writer;
    writer.put(manifest_magic);
    writer.put(format_major);
    writer.put(format_minor);
    writer.put(manifest.data_bytes);
    writer.put(static_cast<std::uint32_t>(manifest.extents.size()));
    for (const Extent& extent : manifest.extents) put_extent(writer, extent);
    writer.put(static_cast<std::uint32_t>(manifest.chunks.size()));
    for (const std::uint32_t chunk : manifest.chunks) writer.put(chunk);
    writer.put(checksum_of(writer.bytes()));
    return writer.bytes();
}

Result<Manifest> decode_manifest(std::string_view bytes)
{
    if (bytes.size() < 20 || bytes.size() > most_manifest_bytes)
        return damaged(format("{} bytes are too few or too many", bytes.size()));
    ByteReader reader(bytes.substr(0, bytes.size() - checksum_bytes));
    Manifest manifest;
    const auto minor = read_start(reader, bytes);
    if (!minor) return tl::unexpected(minor.error());
    manifest.data_bytes = reader.get<std::uint64_t>();
    if (auto read = get_extents(reader, manifest); !read) return tl::unexpected(std::move(read.error()));
    if (auto read = get_chunks(reader, manifest); !read) return tl::unexpected(std::move(read.error()));
    if (auto checked = check_end(reader, *minor); !checked) return tl::unexpected(std::move(checked.error()));
    if (auto checked = check_manifest(manifest); !checked) return tl::unexpected(std::move(checked.error()));
    return manifest;
}

} // namespace mscale::recovery
