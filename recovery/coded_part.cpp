#include "recovery/coded_part.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "recovery/bytes.hpp"
#include "recovery/checksum.hpp"
#include "recovery/redundancy.hpp"

namespace mscale::recovery {
namespace {

constexpr std::uint64_t window_bytes = 1 << 20; // of each part of a stripe that is in memory at once
constexpr const char* group_name = "group";
constexpr std::size_t member_record_bytes = 4 + 8 + 8, group_record_bytes = 4 + 4 + 4;

std::uint64_t count_record_bytes(std::size_t members)
{
    return group_record_bytes + members * member_record_bytes;
}

std::string encode_group(const CodedGroup& group)
{
    ByteWriter writer;
    writer.put(group.parity);
    writer.put(group.size());
    for (const CodedGroup::Member& member : group.members) {
        writer.put(member.rank);
        writer.put(member.data_bytes);
        writer.put(member.manifest_bytes);
    }
    const std::string& bytes = writer.bytes();
    writer.put(crc32c(std::as_bytes(std::span(bytes.data(), bytes.size()))));
    return writer.bytes();
}

/// The member whose manifest is the `turn`th (from 1) of those that `holder` keeps.
unsigned manifest_member(const CodedGroup& group, unsigned holder, unsigned turn)
{
    return (holder + group.size() - turn) % group.size();
}

/// Where it lies in the holder's coded part.
std::uint64_t manifest_place(const CodedGroup& group, unsigned holder, unsigned turn)
{
    std::uint64_t at = group.parity * group.segment_bytes();
    for (unsigned before = 1; before < turn; ++before)
        at += group.members[manifest_member(group, holder, before)].manifest_bytes;
    return at;
}

/// The bytes from `at` on that a window has of a part.
std::uint64_t clip(std::uint64_t part_bytes, std::uint64_t at)
{
    return std::min(window_bytes, part_bytes - std::min(part_bytes, at));
}

/// One part of a stripe: a segment of a member's data, or a piece of another's coded part.
GroupPiece part_of(const CodedGroup& group, unsigned stripe, unsigned part)
{
    if (part < group.segments())
        return {group.member_of(stripe, part), PieceKind::data, part * group.segment_bytes(),
                group.segment_bytes(group.member_of(stripe, part), part)};
    const unsigned piece = part - group.segments();
    return {group.holder_of(stripe, piece), PieceKind::coded, piece * group.segment_bytes(),
            group.stripe_bytes(stripe)};
}

Result<Bytes> read_window(const PieceReader& read, const GroupPiece& part, std::uint64_t at)
{
    Bytes bytes(clip(part.bytes, at));
    if (bytes.empty()) return bytes;
    if (auto done = read({part.member, part.kind, part.at + at, bytes.size()}, bytes); !done)
        return tl::unexpected(std::move(done.error()));
    return bytes;
}

/// One parity of a stripe.
Result<void> write_piece(const CodedGroup& group, unsigned stripe, unsigned piece, const PieceReader& read,
                         std::span<std::byte> place)
{
    for (std::uint64_t at = 0; at < place.size(); at += window_bytes) {
        std::vector<Bytes> shards;
        for (unsigned shard = 0; shard < group.segments(); ++shard) {
            auto bytes = read_window(read, part_of(group, stripe, shard), at);
            if (!bytes) return tl::unexpected(std::move(bytes.error()));
            shards.push_back(std::move(*bytes));
        }
        const std::vector<BytesView> views(shards.begin(), shards.end());
        const auto sum = encode_one_parity(views, group.parity, piece);
        if (!sum) return tl::unexpected(sum.error());
        std::ranges::copy(*sum, place.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return {};
}

bool is_there(const CodedGroup& group, unsigned stripe, unsigned part, const GroupParts& parts)
{
    const GroupPiece piece = part_of(group, stripe, part);
    return piece.kind == PieceKind::data ? parts.shards[piece.member] : parts.coded[piece.member];
}

/// As many parts of the stripe as it has shards, its own data first: they need no coded part.
Result<std::vector<unsigned>> choose_stripe_parts(const CodedGroup& group, unsigned stripe, unsigned wanted,
                                           const GroupParts& parts)
{
    std::vector<unsigned> chosen;
    for (unsigned part = 0; part < group.size() && chosen.size() < group.segments(); ++part)
        if (part != wanted && is_there(group, stripe, part, parts)) chosen.push_back(part);
    if (chosen.size() == group.segments()) return chosen;
    return failure(Code::parts_lost, format("rank {}: {} of the {} parts of a stripe are there, {} are needed",
                                            group.members[group.member_of(stripe, wanted)].rank, chosen.size(),
                                            group.size(), group.segments()));
}

/// Segment `segment` of the lost member, which is the part of that number in the stripe.
Result<void> rebuild_segment(const CodedGroup& group, unsigned stripe, unsigned segment, const GroupParts& parts,
                             const PieceReader& read, std::span<std::byte> place)
{
    const auto chosen = choose_stripe_parts(group, stripe, segment, parts);
    if (!chosen) return tl::unexpected(chosen.error());
    for (std::uint64_t at = 0; at < place.size(); at += window_bytes) {
        std::vector<Bytes> bytes(group.size());
        std::vector<std::optional<BytesView>> views(group.size());
        std::vector<std::uint64_t> lengths;
        for (unsigned shard = 0; shard < group.segments(); ++shard)
            lengths.push_back(clip(part_of(group, stripe, shard).bytes, at));
        for (const unsigned part : *chosen) {
            auto window = read_window(read, part_of(group, stripe, part), at);
            if (!window) return tl::unexpected(std::move(window.error()));
            bytes[part] = std::move(*window);
            views[part] = bytes[part];
        }
        const auto rebuilt = rebuild_parts(views, lengths);
        if (!rebuilt) return tl::unexpected(rebuilt.error());
        std::ranges::copy(rebuilt->at(segment), place.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return {};
}

/// Notes what the next bytes of a coded part are.
void add_extent(Manifest& manifest, std::string name, std::uint64_t at, std::uint64_t bytes)
{
    Extent extent;
    extent.name = std::move(name);
    extent.at = at;
    extent.bytes = bytes;
    manifest.extents.push_back(std::move(extent));
}

Manifest list_contents(const CodedGroup& group, unsigned member)
{
    Manifest manifest;
    for (unsigned piece = 0; piece < group.parity; ++piece)
        add_extent(manifest, format("parity {}", piece), piece * group.segment_bytes(),
                   group.stripe_bytes(group.stripe_of_piece(member, piece)));
    for (unsigned turn = 1; turn <= group.parity; ++turn) {
        const CodedGroup::Member& other = group.members[manifest_member(group, member, turn)];
        add_extent(manifest, format("manifest of rank {}", other.rank), manifest_place(group, member, turn),
                   other.manifest_bytes);
    }
    const std::uint64_t record = count_record_bytes(group.members.size());
    manifest.data_bytes = count_coded_bytes(group, member);
    add_extent(manifest, group_name, manifest.data_bytes - record, record);
    return manifest;
}

} // namespace

std::uint64_t count_coded_bytes(const CodedGroup& group, unsigned member)
{
    return manifest_place(group, member, group.parity + 1) + count_record_bytes(group.members.size());
}

std::uint64_t count_coded_room(const CodingScheme& scheme, std::uint64_t state_bytes)
{
    CodedGroup group{scheme.parity, {}};
    const SegmentLayout layout = lay_out_segment(state_bytes, SegmentLayout::page);
    for (unsigned member = 0; member < scheme.members; ++member)
        group.members.push_back({member, layout.data_bytes, layout.manifest_bytes});
    if (!check_group(group)) return 0;
    // A group may have nearly twice as many members, when its segments are shorter and its record is longer.
    return count_coded_bytes(group, 0) + count_record_bytes(scheme.members);
}

Result<Manifest> write_coded_part(const CodedGroup& group, unsigned member, const PieceReader& read,
                                  std::span<std::byte> place)
{
    if (auto checked = check_group(group); !checked) return tl::unexpected(std::move(checked.error()));
    Manifest manifest = list_contents(group, member);
    std::ranges::fill(place, std::byte(0)); // the pieces of a stripe may be shorter than their place
    for (unsigned piece = 0; piece < group.parity; ++piece) {
        const Extent& extent = manifest.extents[piece];
        if (auto done = write_piece(group, group.stripe_of_piece(member, piece), piece, read,
                                    place.subspan(extent.at, extent.bytes));
            !done)
            return tl::unexpected(std::move(done.error()));
    }
    for (unsigned turn = 1; turn <= group.parity; ++turn) {
        const Extent& extent = manifest.extents[group.parity + turn - 1];
        const GroupPiece piece{manifest_member(group, member, turn), PieceKind::manifest, 0, extent.bytes};
        if (auto done = read(piece, place.subspan(extent.at, extent.bytes)); !done)
            return tl::unexpected(std::move(done.error()));
    }
    const std::string record = encode_group(group);
    std::memcpy(place.data() + manifest.data_bytes - record.size(), record.data(), record.size());
    manifest.chunks = crc32c_chunks(place.first(manifest.data_bytes));
    return manifest;
}

Result<CodedGroup> read_coded_group(const Manifest& manifest, std::span<const std::byte> data)
{
    const auto extent = std::ranges::find(manifest.extents, group_name, &Extent::name);
    CodedGroup group;
    if (extent != manifest.extents.end() && extent->bytes > group_record_bytes && extent->at <= data.size() &&
        extent->bytes <= data.size() - extent->at && extent->bytes <= count_record_bytes(most_parts)) {
        const std::string bytes(reinterpret_cast<const char*>(data.data()) + extent->at, extent->bytes);
        ByteReader reader(bytes);
        group.parity = reader.get<std::uint32_t>();
        const std::size_t count = reader.get<std::uint32_t>();
        for (std::size_t i = 0; i < std::min(count, most_parts) && !reader.failed(); ++i) {
            CodedGroup::Member member;
            member.rank = reader.get<std::uint32_t>();
            member.data_bytes = reader.get<std::uint64_t>();
            member.manifest_bytes = reader.get<std::uint64_t>();
            group.members.push_back(member);
        }
        const bool whole = !reader.failed() && reader.left() == 4 && encode_group(group) == bytes;
        if (whole && check_group(group)) return group;
    }
    return failure(Code::snapshot_damaged, "a coded part doesn't say of which group it is");
}

Result<void> rebuild_shard(const CodedGroup& group, unsigned member, const GroupParts& parts, const PieceReader& read,
                           std::span<std::byte> place)
{
    if (auto checked = check_group(group); !checked) return checked;
    for (unsigned segment = 0; segment < group.segments(); ++segment) {
        const std::uint64_t bytes = group.segment_bytes(member, segment);
        if (bytes == 0) continue;
        auto done = rebuild_segment(group, group.stripe_of(member, segment), segment, parts, read,
                                    place.subspan(segment * group.segment_bytes(), bytes));
        if (!done) return done;
    }
    return {};
}

Result<std::string> rebuild_manifest(const CodedGroup& group, unsigned member, const GroupParts& parts,
                                     const PieceReader& read)
{
    if (auto checked = check_group(group); !checked) return tl::unexpected(std::move(checked.error()));
    for (unsigned turn = 1; turn <= group.parity; ++turn) {
        const unsigned holder = (member + turn) % group.size();
        if (!parts.coded[holder]) continue;
        std::string manifest(group.members[member].manifest_bytes, '\0');
        const auto done = read({holder, PieceKind::coded, manifest_place(group, holder, turn), manifest.size()},
                               std::as_writable_bytes(std::span(manifest.data(), manifest.size())));
        if (!done) return tl::unexpected(done.error());
        return manifest;
    }
    return failure(Code::parts_lost, format("rank {}: no coded part with its manifest is there",
                                            group.members[member].rank));
}

} // namespace mscale::recovery
