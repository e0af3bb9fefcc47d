#include "daemon/spill/snapshot_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include <unistd.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "daemon/spill/write_queue.hpp"
#include "recovery/checksum.hpp"

namespace mscale::daemon {

namespace {

using recovery::SegmentLayout;

constexpr std::uint64_t page = SegmentLayout::page;
static_assert(PageBuffer::bytes == recovery::chunk_bytes);

std::uint64_t round_up(std::uint64_t bytes)
{
    return (bytes + page - 1) / page * page;
}

/// Where the parts of a snapshot lie in its file.
struct FileLayout {
    std::uint64_t manifest_at, data_at, trailer_at;

    explicit FileLayout(const recovery::SlotHeader& header)
        : manifest_at(page), data_at(manifest_at + round_up(header.manifest_bytes)),
          trailer_at(data_at + round_up(header.data_bytes))
    {
    }
};

tl::unexpected<Error> overwritten(const recovery::SpillFile& file)
{
    return failure(Code::snapshot_damaged,
                   format("rank {}: epoch {} was overwritten before it was written to its file", file.rank, file.record.epoch),
                   "none is needed: a later one is written; if it stays so, save less often");
}

/// A text of any length, filled up to whole pages with zeros.
Result<void> write_text(WriteQueue& queue, std::string_view text, std::uint64_t at, Pace& pace)
{
    while (!text.empty()) {
        const auto buffer = queue.next_buffer();
        if (!buffer) return tl::unexpected(buffer.error());
        const std::size_t size = std::min(text.size(), buffer->size()), whole = round_up(size);
        std::memcpy(buffer->data(), text.data(), size);
        std::memset(buffer->data() + size, 0, whole - size);
        pace.take(whole);
        if (auto written = queue.write(whole, at); !written) return written;
        text.remove_prefix(size);
        at += whole;
    }
    return {};
}

/// The program may write to the slot at any moment: what counts is each chunk's copy.
Result<void> write_data(WriteQueue& queue, const recovery::SpillFile& file, const recovery::Manifest& manifest,
                        std::span<const std::byte> data, std::uint64_t at, Pace& pace)
{
    for (const std::uint32_t sum : manifest.chunks) {
        const auto buffer = queue.next_buffer();
        if (!buffer) return tl::unexpected(buffer.error());
        const std::size_t size = std::min(data.size(), buffer->size()), whole = round_up(size);
        std::memcpy(buffer->data(), data.data(), size);
        std::memset(buffer->data() + size, 0, whole - size);
        if (recovery::crc32c(buffer->first(size)) != sum) return overwritten(file);
        pace.take(whole);
        if (auto written = queue.write(whole, at); !written) return written;
        data = data.subspan(size);
        at += whole;
    }
    return {};
}

/// The slot's snapshot, if it is the one that the file is to hold.
Result<recovery::SealedSlot> read_wanted(const recovery::SpillFile& file, const recovery::SegmentView& segment,
                                         unsigned slot)
{
    const recovery::Owner owner{file.record.job_id, geteuid(), file.rank, file.record.ranks, file.record.incarnation};
    auto sealed = recovery::read_slot(segment, slot, owner);
    if (!sealed) return tl::unexpected(std::move(sealed.error()));
    if (!*sealed || (*sealed)->header.epoch != file.record.epoch || (*sealed)->header.owner != owner ||
        (*sealed)->header.step != file.record.step)
        return overwritten(file);
    return std::move(**sealed);
}

Result<void> write_parts(int descriptor, const recovery::SpillFile& file, const recovery::SegmentView& segment,
                         unsigned slot, Pace& pace)
{
    const auto sealed = read_wanted(file, segment, slot);
    if (!sealed) return tl::unexpected(sealed.error());
    const recovery::SlotFrame frame = recovery::encode_frame(*sealed);
    const FileLayout layout(sealed->header);
    const auto queue = make_write_queue(descriptor);
    auto written = write_data(*queue, file, sealed->manifest, segment.data(slot).first(sealed->header.data_bytes),
                              layout.data_at, pace);
    if (written) written = write_text(*queue, frame.manifest, layout.manifest_at, pace);
    if (written) written = write_text(*queue, frame.trailer, layout.trailer_at, pace);
    if (written) written = write_text(*queue, frame.header, 0, pace);
    if (written) written = queue->wait();
    if (written && fsync(descriptor) != 0) written = os_failure(Code::spill, "writing a snapshot to the disk", errno);
    return written;
}

/// Reads to the end of `place`.
Result<void> read_part(const Fd& descriptor, const std::string& name, std::span<std::byte> place, std::uint64_t at)
{
    while (!place.empty()) {
        const ssize_t got = pread(descriptor.number(), place.data(), place.size(), static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return os_failure(Code::snapshot_damaged, "reading " + name, errno);
        if (got == 0) return failure(Code::snapshot_damaged, format("{} ends at byte {}", name, at));
        place = place.subspan(static_cast<std::size_t>(got));
        at += static_cast<std::uint64_t>(got);
    }
    return {};
}

Result<recovery::SlotHeader> read_any_header(const Fd& descriptor, const std::string& name)
{
    std::string bytes(page, '\0');
    if (auto read = read_part(descriptor, name, std::as_writable_bytes(std::span(bytes)), 0); !read)
        return tl::unexpected(std::move(read.error()));
    auto header = recovery::decode_slot_header(bytes);
    if (!header) header.error().text = name + ": " + header.error().text;
    return header;
}

Result<recovery::SlotHeader> read_header(const Fd& descriptor, const std::string& name, const SegmentLayout& layout)
{
    auto header = read_any_header(descriptor, name);
    if (header && (header->manifest_bytes > layout.manifest_bytes || header->data_bytes > layout.data_bytes))
        return failure(Code::snapshot_room, format("{}: {} bytes of data and {} of manifest don't fit into {} and {}", name,
                                                   header->data_bytes, header->manifest_bytes, layout.data_bytes,
                                                   layout.manifest_bytes));
    return header;
}

/// Where a part of the snapshot lies in its file.
struct FilePart {
    std::uint64_t at = 0, bytes = 0;
};

FilePart part_of(const recovery::SlotHeader& header, recovery::PieceKind kind)
{
    const FileLayout layout(header);
    if (kind == recovery::PieceKind::header) return {0, page};
    if (kind == recovery::PieceKind::manifest) return {layout.manifest_at, header.manifest_bytes};
    return {layout.data_at, header.data_bytes};
}

/// Writes the text to `name` by way of another file.
Result<void> write_small_file(const SpillDirectory& directory, const std::string& name, const std::string& text,
                              const std::string& node)
{
    const std::string unfinished = recovery::name_unfinished(name, node);
    const auto descriptor = directory.create_file(unfinished);
    if (!descriptor) return tl::unexpected(descriptor.error());
    Pace at_once(UINT64_MAX);
    const auto queue = make_write_queue(descriptor->number());
    auto written = write_text(*queue, text, 0, at_once);
    if (written) written = queue->wait();
    if (written && (ftruncate(descriptor->number(), static_cast<off_t>(text.size())) != 0 || fsync(descriptor->number()) != 0))
        written = os_failure(Code::spill, "writing " + name, errno);
    if (written) written = directory.rename_file(unfinished, name);
    if (!written) (void)directory.remove(unfinished);
    return written;
}

} // namespace

void Pace::take(std::uint64_t bytes)
{
    using Seconds = std::chrono::duration<double>;
    std::this_thread::sleep_until(began_ + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                               Seconds(static_cast<double>(taken_) / static_cast<double>(rate_))));
    taken_ += bytes;
}

Result<void> write_snapshot_file(const SpillDirectory& directory, const recovery::SpillFile& file,
                                 const recovery::SegmentView& segment, unsigned slot, const std::string& node, Pace& pace)
{
    const std::string name = recovery::name_snapshot(file), unfinished = recovery::name_unfinished(name, node);
    if (directory.has(name)) return {};
    const auto descriptor = directory.create_file(unfinished);
    if (!descriptor) return tl::unexpected(descriptor.error());
    auto written = write_parts(descriptor->number(), file, segment, slot, pace);
    if (written) written = directory.rename_file(unfinished, name);
    if (written) return directory.sync();
    (void)directory.remove(unfinished);
    return written;
}

Result<void> read_snapshot_file(const SpillDirectory& directory, const recovery::SpillFile& file,
                                const recovery::SegmentView& segment, unsigned slot)
{
    const std::string name = recovery::name_snapshot(file);
    const auto descriptor = directory.open_file(name);
    if (!descriptor) return tl::unexpected(descriptor.error());
    const auto header = read_header(*descriptor, name, segment.layout());
    if (!header) return tl::unexpected(header.error());
    const FileLayout layout(*header);
    recovery::open_slot(segment, slot);
    auto read = read_part(*descriptor, name, segment.manifest(slot).first(header->manifest_bytes), layout.manifest_at);
    if (read) read = read_part(*descriptor, name, segment.data(slot).first(header->data_bytes), layout.data_at);
    if (read) read = read_part(*descriptor, name, segment.trailer(slot), layout.trailer_at);
    if (read) read = read_part(*descriptor, name, segment.header(slot), 0);
    return read;
}

Result<void> read_snapshot_piece(const SpillDirectory& directory, const recovery::SpillFile& file,
                                 const SpillRequest::Piece& piece, std::span<std::byte> place)
{
    const std::string name = recovery::name_snapshot(file);
    const auto descriptor = directory.open_file(name);
    if (!descriptor) return tl::unexpected(descriptor.error());
    const auto header = read_any_header(*descriptor, name);
    if (!header) return tl::unexpected(header.error());
    const FilePart part = part_of(*header, piece.kind);
    if (piece.at > part.bytes || piece.bytes > part.bytes - piece.at || piece.bytes != place.size())
        return failure(Code::snapshot_damaged,
                       format("{}: {} bytes from {} on aren't in a part of {}", name, piece.bytes, piece.at, part.bytes));
    return read_part(*descriptor, name, place, part.at + piece.at);
}

Result<void> settle_epoch(const SpillDirectory& directory, const recovery::CommitRecord& record, const std::string& node)
{
    const std::string text = write_json(recovery::to_json(record)) + "\n";
    if (auto written = write_small_file(directory, recovery::name_manifest(record), text, node); !written) return written;
    if (auto synced = directory.sync(); !synced) return synced;
    const auto names = directory.list();
    if (!names) return tl::unexpected(names.error());
    for (const std::string& name : recovery::choose_pruned(*names, record.job_id))
        if (auto removed = directory.remove(name); !removed) return removed;
    return directory.sync();
}

} // namespace mscale::daemon
