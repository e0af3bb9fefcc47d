#include "tests/unit/recovery/samples.hpp"

#include <array>

#include "recovery/checksum.hpp"

namespace mscale::recovery {
namespace {

void give_shape(Random& random, Extent& extent)
{
    extent.type = static_cast<DataType>(pick(random, 12));
    extent.bytes = size_of(extent.type);
    for (std::uint64_t axes = pick(random, most_axes); axes > 0; --axes) {
        const std::uint64_t offset = pick(random, 5), length = pick(random, 3), rest = pick(random, 5);
        extent.global.push_back(offset + length + rest);
        extent.offset.push_back(offset);
        extent.shape.push_back(length);
        extent.bytes *= length;
    }
}

Extent random_extent(Random& random, std::size_t number)
{
    Extent extent;
    extent.name =
        std::to_string(number) + std::string(pick(random, 40), static_cast<char>(pick(random, 255)));
    extent.kind = static_cast<ExtentKind>(pick(random, 3));
    if (extent.kind == ExtentKind::tensor)
        give_shape(random, extent);
    else
        extent.bytes = pick(random, 3'000'000);
    return extent;
}

} // namespace

Manifest random_manifest(Random& random)
{
    Manifest manifest;
    for (std::size_t left = pick(random, 20); left > 0; --left) {
        Extent extent = random_extent(random, left);
        extent.at = manifest.data_bytes + pick(random, 64);
        manifest.data_bytes = extent.at + extent.bytes;
        manifest.extents.push_back(std::move(extent));
    }
    manifest.chunks.resize((manifest.data_bytes + chunk_bytes - 1) / chunk_bytes);
    for (auto& chunk : manifest.chunks) chunk = static_cast<std::uint32_t>(random());
    return manifest;
}

Manifest sample_manifest()
{
    Manifest manifest;
    manifest.data_bytes = 1000;
    manifest.extents = {
        {.name = "rng", .kind = ExtentKind::opaque, .at = 0, .bytes = 100},
        {.name = "weight",
         .kind = ExtentKind::tensor,
         .type = DataType::f32,
         .global = {8, 10},
         .offset = {4, 0},
         .shape = {4, 10},
         .at = 128,
         .bytes = 160},
        {.name = "loader", .kind = ExtentKind::cursor, .at = 300, .bytes = 24},
        {.name = "scheduler", .kind = ExtentKind::shared, .at = 400, .bytes = 600},
    };
    manifest.chunks = {0x12345678};
    return manifest;
}

std::vector<std::byte> random_bytes(Random& random, std::size_t size)
{
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

} // namespace mscale::recovery
