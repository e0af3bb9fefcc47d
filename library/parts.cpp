#include "library/parts.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/text.hpp"
#include "recovery/checksum.hpp"

namespace mscale::library {
namespace {

using recovery::chunk_bytes;
using recovery::Extent;
using recovery::ExtentKind;

/// The tensor of which the extent is a part; UINT64_MAX bytes where no number can say how many it has.
Extent whole_of(Extent extent)
{
    extent.at = 0;
    if (extent.kind != ExtentKind::tensor) return extent;
    extent.offset.assign(extent.global.size(), 0);
    extent.shape = extent.global;
    extent.bytes = size_of(extent.type);
    for (const std::uint64_t axis : extent.global)
        if (__builtin_mul_overflow(extent.bytes, axis, &extent.bytes)) extent.bytes = UINT64_MAX;
    return extent;
}

const Extent* find_in(const recovery::Manifest& manifest, std::string_view name)
{
    const auto found = std::ranges::find(manifest.extents, name, &Extent::name);
    return found == manifest.extents.end() ? nullptr : &*found;
}

tl::unexpected<Error> not_equal(std::string_view name, std::uint32_t a, std::uint32_t b)
{
    return failure(Code::reshape, format("'{}': it is said to be shared, but ranks {} and {} saved different bytes",
                                         printable(name), a, b));
}

} // namespace

Parts::Parts(Written&& written, const Rank& reader) : written_(std::move(written)), reader_(reader)
{
    std::set<std::string_view> names;
    for (const recovery::Manifest& manifest : written_.manifests())
        for (const Extent& extent : manifest.extents)
            if (names.insert(extent.name).second) whole_.push_back(whole_of(extent));
}

Result<const Extent*> Parts::find(std::string_view name) const
{
    const auto found = std::ranges::find(whole_, name, &Extent::name);
    if (found != whole_.end()) return &*found;
    return failure(Code::save_order, format("the snapshot has no extent '{}'", printable(name)));
}

Result<void> Parts::get(const ReadWritten& read, const Extent& wanted, std::span<std::byte> data)
{
    if (wanted.kind == ExtentKind::cursor)
        return failure(Code::save_order, format("'{}' is a cursor: mscale_get_cursor splits it", printable(wanted.name)));
    const auto plan = recovery::plan_read(written_.manifests(), wanted, reader_.rank, reader_.ranks);
    if (!plan) return tl::unexpected(plan.error());
    if (plan->bytes != data.size())
        return failure(Code::save_order, format("'{}' has {} bytes, not {}", printable(wanted.name), plan->bytes, data.size()));
    if (auto copied = copy_pieces(read, *plan, data); !copied || wanted.kind != ExtentKind::shared) return copied;
    return compare_shared(read, wanted.name, data, plan->pieces.front().rank);
}

Result<void> Parts::copy_pieces(const ReadWritten& read, const recovery::ReadPlan& plan, std::span<std::byte> data)
{
    for (const recovery::ReadPiece& piece : plan.pieces)
        for (std::uint64_t run = 0; run < piece.count; ++run) {
            const auto place = data.subspan(piece.to + run * piece.to_stride, piece.bytes);
            if (auto copied = written_.copy(read, piece.rank, piece.from + run * piece.from_stride, place); !copied) return copied;
        }
    return {};
}

/// Each reader compares its share of the ranks that wrote with the one that it took, and all with the first: what is equal
/// for all readers is equal on all ranks.
Result<void> Parts::compare_shared(const ReadWritten& read, std::string_view name, std::span<const std::byte> data,
                                   std::uint32_t from)
{
    const auto manifests = written_.manifests();
    bool first = true;
    for (std::uint32_t rank = 0; rank < manifests.size(); ++rank) {
        const Extent* const theirs = find_in(manifests[rank], name);
        if (!theirs) continue;
        const bool mine = std::exchange(first, false) || rank % reader_.ranks == reader_.rank;
        if (!mine || rank == from) continue;
        if (auto compared = compare_with(read, rank, *theirs, from, data); !compared) return compared;
    }
    return {};
}

/// Chunk by chunk: where both lie at the same place and their chunks have one checksum, nothing is read.
Result<void> Parts::compare_with(const ReadWritten& read, std::uint32_t rank, const Extent& theirs, std::uint32_t from,
                                 std::span<const std::byte> data)
{
    const recovery::Manifest &a = written_.manifests()[rank], &b = written_.manifests()[from];
    const bool same_place = find_in(b, theirs.name)->at == theirs.at;
    std::vector<std::byte> other;
    for (std::uint64_t at = theirs.at; at < theirs.at + theirs.bytes;) {
        const std::uint64_t chunk = at / chunk_bytes, end = std::min((chunk + 1) * chunk_bytes, theirs.at + theirs.bytes);
        const auto mine = data.subspan(at - theirs.at, end - at);
        const bool same = same_place && a.chunks[chunk] == b.chunks[chunk];
        other.resize(mine.size());
        if (!same)
            if (auto copied = written_.copy(read, rank, at, other); !copied) return copied;
        if (!same && std::memcmp(other.data(), mine.data(), mine.size()) != 0) return not_equal(theirs.name, from, rank);
        at = end;
    }
    return {};
}

Result<recovery::RankCursor> Parts::get_cursor(const ReadWritten& read, std::string_view name, std::uint32_t batch)
{
    Extent wanted;
    wanted.name = name;
    wanted.kind = ExtentKind::cursor;
    const auto plan = recovery::plan_read(written_.manifests(), wanted, reader_.rank, reader_.ranks);
    if (!plan) return tl::unexpected(plan.error());
    std::vector<recovery::RankCursor> cursors;
    for (const recovery::ReadPiece& piece : plan->pieces) {
        std::string bytes(std::min<std::uint64_t>(piece.bytes, 4096), '\0'); // more is no cursor
        auto copied = written_.copy(read, piece.rank, piece.from, std::as_writable_bytes(std::span(bytes)));
        if (!copied) return tl::unexpected(std::move(copied.error()));
        auto cursor = recovery::decode_cursor(bytes);
        if (!cursor) return tl::unexpected(std::move(cursor.error()));
        cursors.push_back(*cursor);
    }
    const auto job = recovery::join_cursors(cursors);
    if (!job) return tl::unexpected(job.error());
    const auto split = recovery::split_cursor(*job, reader_.ranks, batch ? batch : cursors.front().batch);
    if (!split) return tl::unexpected(split.error());
    return (*split)[reader_.rank];
}

} // namespace mscale::library
