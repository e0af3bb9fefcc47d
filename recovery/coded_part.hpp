#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "recovery/coding.hpp"
#include "recovery/manifest.hpp"
#include "recovery/slot.hpp"

/// The coded part that a member of a group keeps beside its own data: `parity` coded pieces, the manifests of as many members
/// before it, and what the group is.  It lies in a slot like a snapshot, with a manifest of its own.
namespace mscale::recovery {

/// Which of the things that a member keeps.
enum class PieceKind : std::uint8_t {
    data,     ///< of its own snapshot
    manifest, ///< of its own snapshot, encoded
    coded,    ///< the data of its coded part
    header,   ///< of its own snapshot, one page
};

/// A range of what a member keeps.
struct GroupPiece {
    unsigned member = 0;
    PieceKind kind = PieceKind::data;
    std::uint64_t at = 0, bytes = 0;
    bool operator==(const GroupPiece&) const = default;
};
/// Reads one, as it was saved, to a place of its length.
using PieceReader = std::function<Result<void>(const GroupPiece& piece, std::span<std::byte> place)>;

/// Bytes of the coded part of a member.
std::uint64_t count_coded_bytes(const CodedGroup& group, unsigned member);
/// The most that it may take for members of `state_bytes`, whatever they save; all members are as large.
std::uint64_t count_coded_room(const CodingScheme& scheme, std::uint64_t state_bytes);

/// Makes the coded part of `member` in `place`, of count_coded_bytes, from pieces of the others; its manifest.
Result<Manifest> write_coded_part(const CodedGroup& group, unsigned member, const PieceReader& read,
                                  std::span<std::byte> place);
/// The group that a coded part in a slot says it is of; snapshot_damaged when it says nothing sensible.
Result<CodedGroup> read_coded_group(const Manifest& manifest, std::span<const std::byte> data);

/// Makes the data of a lost member in `place`, of its data_bytes, from what is there of the others.  parts_lost, with numbers,
/// when that is too little.
Result<void> rebuild_shard(const CodedGroup& group, unsigned member, const GroupParts& parts, const PieceReader& read,
                           std::span<std::byte> place);
/// Its manifest, from the coded part of another.
Result<std::string> rebuild_manifest(const CodedGroup& group, unsigned member, const GroupParts& parts,
                                     const PieceReader& read);

} // namespace mscale::recovery
