#pragma once

#include <cstdint>
#include <span>

#include "recovery/coded_part.hpp"
#include "recovery/frame_stream.hpp"

/// Moving a range of what a rank keeps between keepers: a fetch that says which, and its bytes in frames of at most a chunk.
namespace mscale::recovery {

/// Which range, of whose epoch.
struct PieceRequest {
    Owner owner; ///< incarnation: of the run that saved it
    std::uint64_t epoch = 0;
    PieceKind kind = PieceKind::data;
    std::uint64_t at = 0, bytes = 0;
    bool operator==(const PieceRequest&) const = default;
};

/// The longest that may be asked for at once.
inline constexpr std::uint64_t most_piece_bytes = most_manifest_bytes;

/// Asks for a piece and writes it to `place`, of its length.
Result<void> fetch_piece(FrameStream& stream, const PieceRequest& request, std::span<std::byte> place);

/// True when a fetch asks for a piece and not for a whole snapshot.
bool asks_for_piece(const FrameHeader& header);
/// What it asks for; bad_frame when that can't be.
Result<PieceRequest> read_piece_request(const Frame& frame);
/// Answers with the piece.
Result<void> send_piece(FrameStream& stream, const PieceRequest& request, std::span<const std::byte> piece);

/// Compares the chunks that a range is in with the manifest's checksums; snapshot_damaged when the range isn't in the data or
/// a chunk isn't what was saved.
Result<void> verify_range(std::span<const std::byte> data, const Manifest& manifest, std::uint64_t at, std::uint64_t bytes);

} // namespace mscale::recovery
