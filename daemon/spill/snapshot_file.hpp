#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "daemon/spill/directory.hpp"
#include "daemon/spill/request.hpp"
#include "recovery/segment.hpp"
#include "recovery/spill_file.hpp"

/// One rank's snapshot as a file: its slot's header, manifest, data and trailer, each from a page of its own on.
namespace mscale::daemon {

/// No more than so many bytes a second, over all files of one process.
class Pace {
public:
    explicit Pace(std::uint64_t bytes_per_second) : rate_(bytes_per_second) {}
    /// Waits until `bytes` more may have been written.
    void take(std::uint64_t bytes);

private:
    std::uint64_t rate_, taken_ = 0;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Writes what `slot` holds of the file's record, each chunk compared with its checksum; on the disk and under its name when
/// this returns.  One that is there already stays.  snapshot_damaged when the slot holds something else, or is overwritten
/// meanwhile: the program doesn't wait.
Result<void> write_snapshot_file(const SpillDirectory& directory, const recovery::SpillFile& file,
                                 const recovery::SegmentView& segment, unsigned slot, const std::string& node, Pace& pace);

/// Puts the file into the slot, unverified: whoever uses it reads the slot as any other.
Result<void> read_snapshot_file(const SpillDirectory& directory, const recovery::SpillFile& file,
                                const recovery::SegmentView& segment, unsigned slot);

/// Puts a part of the file to `place`, of its length, unverified.  snapshot_damaged when the file has no such part.
Result<void> read_snapshot_piece(const SpillDirectory& directory, const recovery::SpillFile& file,
                                 const SpillRequest::Piece& piece, std::span<std::byte> place);

/// Writes the manifest of an epoch whose files are all there, then removes what may go.
Result<void> settle_epoch(const SpillDirectory& directory, const recovery::CommitRecord& record, const std::string& node);

} // namespace mscale::daemon
