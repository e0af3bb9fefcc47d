#include "library/written.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "recovery/checksum.hpp"

namespace mscale::library {
namespace {

using recovery::chunk_bytes;

constexpr std::uint64_t most_manifests = std::uint64_t(1) << 30; // of all ranks, in the memory of each that reads
constexpr std::uint64_t header_page = recovery::SegmentLayout::page;

/// Reads to the end of `place`, so much at once as there is room for.
Result<void> fill(std::span<std::byte> place, WrittenPiece piece, std::uint64_t window, const ReadWritten& read)
{
    while (!place.empty()) {
        piece.bytes = std::min<std::uint64_t>(place.size(), window);
        const auto got = read(piece);
        if (!got) return tl::unexpected(got.error());
        std::memcpy(place.data(), got->data(), piece.bytes);
        place = place.subspan(piece.bytes);
        piece.at += piece.bytes;
    }
    return {};
}

Result<std::string> read_text(std::uint32_t rank, WrittenPiece::Kind kind, std::uint64_t bytes, std::uint64_t window,
                              const ReadWritten& read)
{
    std::string text(bytes, '\0');
    auto filled = fill(std::as_writable_bytes(std::span(text)), {rank, kind, 0, 0}, window, read);
    if (!filled) return tl::unexpected(std::move(filled.error()));
    return text;
}

/// The error with the rank whose part it is of.
tl::unexpected<Error> of_rank(std::uint32_t rank, Error error)
{
    error.text = format("rank {} of those that wrote: {}", rank, error.text);
    return tl::unexpected(std::move(error));
}

Result<void> check_header(const recovery::SlotHeader& header, const Written::Which& which, std::uint32_t rank)
{
    recovery::Owner wanted = which.owner;
    wanted.rank = rank;
    if (header.owner == wanted && header.epoch == which.epoch && header.step == which.step) return {};
    return failure(Code::snapshot_foreign,
                   format("it is epoch {} of job {} rank {} of {}, not epoch {} of job {} of {}", header.epoch,
                          header.owner.job_id, header.owner.rank, header.owner.ranks, which.epoch, wanted.job_id, wanted.ranks));
}

} // namespace

Result<Written> Written::open(const Which& which, const ReadWritten& read)
{
    if (which.window < header_page)
        return failure(Code::snapshot_room, format("{} bytes are no room to read what other ranks wrote", which.window));
    Written written(std::min<std::uint64_t>(which.window, chunk_bytes));
    for (std::uint32_t rank = 0; rank < which.owner.ranks; ++rank)
        if (auto done = written.read_rank(which, rank, read); !done) return of_rank(rank, std::move(done.error()));
    return written;
}

Result<void> Written::read_rank(const Which& which, std::uint32_t rank, const ReadWritten& read)
{
    const auto page = read_text(rank, WrittenPiece::Kind::header, header_page, window_, read);
    if (!page) return tl::unexpected(page.error());
    const auto header = recovery::decode_slot_header(*page);
    if (!header) return tl::unexpected(header.error());
    if (auto checked = check_header(*header, which, rank); !checked) return checked;
    manifest_bytes_ += header->manifest_bytes;
    if (header->manifest_bytes > recovery::most_manifest_bytes || manifest_bytes_ > most_manifests)
        return failure(Code::snapshot_room, format("the manifests have more than {}", format_bytes(most_manifests)));
    const auto text = read_text(rank, WrittenPiece::Kind::manifest, header->manifest_bytes, window_, read);
    if (!text) return tl::unexpected(text.error());
    auto manifest = recovery::decode_manifest(*text);
    if (!manifest) return tl::unexpected(std::move(manifest.error()));
    if (manifest->data_bytes != header->data_bytes)
        return failure(Code::snapshot_damaged, "header and manifest are of two snapshots");
    manifests_.push_back(std::move(*manifest));
    return {};
}

Result<void> Written::take_chunk(const ReadWritten& read, std::uint32_t rank, std::uint64_t number)
{
    if (held_ && held_->rank == rank && held_->number == number) return {};
    held_.reset();
    const recovery::Manifest& manifest = manifests_[rank];
    const std::uint64_t at = number * chunk_bytes;
    bytes_.resize(std::min<std::uint64_t>(chunk_bytes, manifest.data_bytes - at));
    if (auto filled = fill(bytes_, {rank, WrittenPiece::Kind::data, at, 0}, window_, read); !filled)
        return of_rank(rank, std::move(filled.error()));
    if (recovery::crc32c(bytes_) != manifest.chunks[number])
        return of_rank(rank, failure(Code::snapshot_damaged, format("chunk {} of {} isn't what was saved", number,
                                                                    manifest.chunks.size())).value());
    held_ = {rank, number};
    return {};
}

Result<void> Written::copy(const ReadWritten& read, std::uint32_t rank, std::uint64_t at, std::span<std::byte> data)
{
    while (!data.empty()) {
        if (auto taken = take_chunk(read, rank, at / chunk_bytes); !taken) return taken;
        const std::size_t from = at % chunk_bytes, bytes = std::min(data.size(), bytes_.size() - from);
        std::memcpy(data.data(), bytes_.data() + from, bytes);
        data = data.subspan(bytes);
        at += bytes;
    }
    return {};
}

} // namespace mscale::library
