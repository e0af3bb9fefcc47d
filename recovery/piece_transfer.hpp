#pragma once

#include <cstdint>
#include <span>

#include "recovery/frame_stream.hpp"
#include "recovery/manifest.hpp"
#include "recovery/piece_request.hpp"

/// Moving a range of what a rank keeps between keepers: a fetch that says which, and its bytes in frames of at most a chunk.
namespace mscale::recovery {

/// Asks for a piece and writes it to `place`, of its length.
Result<void> fetch_piece(FrameStream& stream, const PieceRequest& request, std::span<std::byte> place);

/// Answers with the piece.
Result<void> send_piece(FrameStream& stream, const PieceRequest& request, std::span<const std::byte> piece);

/// Compares the chunks that a range is in with the manifest's checksums; snapshot_damaged when the range isn't in the data or
/// a chunk isn't what was saved.
Result<void> verify_range(std::span<const std::byte> data, const Manifest& manifest, std::uint64_t at, std::uint64_t bytes);

} // namespace mscale::recovery
