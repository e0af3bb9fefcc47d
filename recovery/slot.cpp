#include "recovery/slot.hpp"

#include <atomic>
#include <cstring>

#include "base/text.hpp"
#include "recovery/bytes.hpp"
#include "recovery/checksum.hpp"

namespace mscale::recovery {
namespace {

constexpr std::uint64_t header_magic = 0x31544f4c5343534d;  // "MSCSLOT1"
constexpr std::uint64_t trailer_magic = 0x31444e4553534d4d; // "MMSSEND1"
constexpr std::size_t header_bytes = 8 + 2 + 2 + 6 * 4 + 8 + 8 + 4 + 8 + 4;
constexpr std::size_t trailer_bytes = 8 + 8 + 4;

std::span<const std::byte> view_bytes(std::string_view text)
{
    return std::as_bytes(std::span(text.data(), text.size()));
}

std::string copy_text(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string encode_header(const SlotHeader& header)
{
    ByteWriter writer;
    writer.put(header_magic);
    writer.put(format_major);
    writer.put(format_minor);
    for (const std::uint32_t number :
         {header.owner.job_id, header.owner.uid, header.owner.rank, header.owner.ranks,
          header.owner.incarnation.restarts, header.owner.incarnation.step})
        writer.put(number);
    writer.put(header.epoch);
    writer.put(header.step);
    writer.put(header.manifest_bytes);
    writer.put(header.data_bytes);
    writer.put(crc32c(view_bytes(writer.bytes())));
    return writer.bytes();
}

SlotHeader decode_header(ByteReader& reader)
{
    SlotHeader header;
    for (std::uint32_t* number :
         {&header.owner.job_id, &header.owner.uid, &header.owner.rank, &header.owner.ranks,
          &header.owner.incarnation.restarts, &header.owner.incarnation.step})
        *number = reader.get<std::uint32_t>();
    header.epoch = reader.get<std::uint64_t>();
    header.step = reader.get<std::uint64_t>();
    header.manifest_bytes = reader.get<std::uint32_t>();
    header.data_bytes = reader.get<std::uint64_t>();
    return header;
}

std::string encode_trailer(const SlotHeader& header, std::string_view encoded_header)
{
    ByteWriter writer;
    writer.put(trailer_magic);
    writer.put(header.epoch);
    writer.put(crc32c(view_bytes(encoded_header)));
    return writer.bytes();
}

void store(std::span<std::byte> place, std::string_view bytes)
{
    std::memcpy(place.data(), bytes.data(), bytes.size());
}

tl::unexpected<Error> damaged(unsigned slot, std::string what)
{
    return failure(Code::snapshot_damaged, format("slot {}: {}", slot, what));
}

Result<SlotHeader> check_header(const std::string& bytes, unsigned slot)
{
    ByteReader reader(bytes);
    if (reader.get<std::uint64_t>() != header_magic) return damaged(slot, "its header doesn't begin as one");
    const auto major = reader.get<std::uint16_t>();
    reader.get<std::uint16_t>();
    if (major > format_major)
        return failure(Code::snapshot_version,
                       format("slot {}: format {} is newer than {}", slot, major, format_major));
    const SlotHeader header = decode_header(reader);
    if (reader.get<std::uint32_t>() != crc32c(view_bytes(std::string_view(bytes).substr(0, header_bytes - 4))))
        return damaged(slot, "the header's checksum is wrong");
    if (major < format_major || header.epoch == 0 || header.owner.rank >= header.owner.ranks)
        return damaged(slot, format("format {}, epoch {}, rank {} of {} can't be", major, header.epoch,
                                    header.owner.rank, header.owner.ranks));
    return header;
}

Result<void> check_owner(const Owner& found, const Owner& wanted, unsigned slot)
{
    if (found.job_id == wanted.job_id && found.uid == wanted.uid && found.rank == wanted.rank) return {};
    return failure(Code::snapshot_foreign,
                   format("slot {}: it is of job {} rank {} user {}, not of job {} rank {} user {}", slot,
                          found.job_id, found.rank, found.uid, wanted.job_id, wanted.rank, wanted.uid));
}

Result<void> check_sizes(const SlotHeader& header, const SegmentLayout& layout, unsigned slot)
{
    if (header.manifest_bytes <= layout.manifest_bytes && header.data_bytes <= layout.data_bytes) return {};
    return damaged(slot, format("epoch {}: manifest {} and data {} bytes don't fit", header.epoch,
                                header.manifest_bytes, header.data_bytes));
}

} // namespace

void open_slot(const SegmentView& segment, unsigned slot)
{
    std::memset(segment.trailer(slot).data(), 0, trailer_bytes);
    std::atomic_thread_fence(std::memory_order_release);
    std::memset(segment.header(slot).data(), 0, header_bytes);
    std::atomic_thread_fence(std::memory_order_release);
}

Result<void> seal_slot(const SegmentView& segment, unsigned slot, SlotHeader header, const Manifest& manifest)
{
    const std::string encoded = encode_manifest(manifest);
    header.manifest_bytes = static_cast<std::uint32_t>(encoded.size());
    header.data_bytes = manifest.data_bytes;
    return seal_slot(segment, slot, header, encoded);
}

Result<void> seal_slot(const SegmentView& segment, unsigned slot, const SlotHeader& header,
                       const std::string& encoded_manifest)
{
    const SegmentLayout& layout = segment.layout();
    if (encoded_manifest.size() > layout.manifest_bytes || header.data_bytes > layout.data_bytes)
        return failure(Code::save_order, format("{} bytes of manifest and {} of data don't fit {} and {}",
                                                encoded_manifest.size(), header.data_bytes,
                                                layout.manifest_bytes, layout.data_bytes));
    if (header.manifest_bytes != encoded_manifest.size() || header.epoch == 0)
        return failure(Code::save_order,
                       format("epoch {}: {} bytes of manifest came, {} were said", header.epoch,
                              encoded_manifest.size(), header.manifest_bytes));
    const std::string encoded = encode_header(header);
    store(segment.manifest(slot), encoded_manifest);
    store(segment.header(slot), encoded);
    std::atomic_thread_fence(std::memory_order_release);
    store(segment.trailer(slot), encode_trailer(header, encoded));
    return {};
}

Result<std::optional<SealedSlot>> read_slot(const SegmentView& segment, unsigned slot, const Owner& owner)
{
    const std::string bytes = copy_text(segment.header(slot).first(header_bytes));
    const std::string trailer = copy_text(segment.trailer(slot).first(trailer_bytes));
    if (bytes == std::string(header_bytes, '\0')) return std::nullopt;
    auto header = check_header(bytes, slot);
    if (!header) return tl::unexpected(std::move(header.error()));
    if (trailer != encode_trailer(*header, bytes))
        return damaged(slot, format("epoch {} was not written to its end", header->epoch));
    if (auto checked = check_owner(header->owner, owner, slot); !checked)
        return tl::unexpected(std::move(checked.error()));
    if (auto checked = check_sizes(*header, segment.layout(), slot); !checked)
        return tl::unexpected(std::move(checked.error()));
    SealedSlot sealed{*header, {}, copy_text(segment.manifest(slot).first(header->manifest_bytes))};
    auto manifest = decode_manifest(sealed.encoded_manifest);
    if (!manifest) return tl::unexpected(std::move(manifest.error()));
    if (manifest->data_bytes != header->data_bytes)
        return damaged(slot, format("epoch {}: header and manifest differ", header->epoch));
    sealed.manifest = std::move(*manifest);
    return sealed;
}

SlotFrame encode_frame(const SealedSlot& sealed)
{
    const std::string header = encode_header(sealed.header);
    return {header, sealed.encoded_manifest, encode_trailer(sealed.header, header)};
}

Result<SlotHeader> decode_slot_header(std::string_view bytes)
{
    if (bytes.size() < header_bytes) return failure(Code::snapshot_damaged, "it is shorter than a header");
    return check_header(std::string(bytes.substr(0, header_bytes)), 0);
}

Result<void> verify_data(std::span<const std::byte> data, const Manifest& manifest)
{
    if (manifest.data_bytes > data.size())
        return failure(Code::snapshot_damaged,
                       format("{} bytes are there of {}", data.size(), manifest.data_bytes));
    const std::size_t chunk = find_damaged_chunk(data.first(manifest.data_bytes), manifest.chunks);
    if (chunk == manifest.chunks.size()) return {};
    std::vector<std::string> names;
    for (const Extent& extent : manifest.extents)
        if (extent.bytes > 0 && extent.at < (chunk + 1) * chunk_bytes &&
            extent.at + extent.bytes > chunk * chunk_bytes)
            names.push_back("'" + printable(extent.name) + "'");
    return failure(Code::snapshot_damaged, format("chunk {} of {} ({}) isn't what was saved", chunk,
                                                  manifest.chunks.size(), join(names, ", ")));
}

} // namespace mscale::recovery
