#pragma once

#include <cstdint>
#include <string_view>

#include "recovery/coded_part.hpp"
#include "recovery/frame.hpp"

/// Asking another keeper for a range of what a rank keeps: a fetch frame whose flags say of which kind.  Pure.
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

/// The flags of a fetch, and of the data that answer it: 0 asks for a whole snapshot.
std::uint8_t flag_of(PieceKind kind);
/// True when a fetch asks for a piece and not for a whole snapshot.
bool asks_for_piece(const FrameHeader& header);
/// What it asks for; bad_frame when that can't be.
Result<PieceRequest> read_piece_request(const FrameHeader& header, std::string_view payload);

} // namespace mscale::recovery
