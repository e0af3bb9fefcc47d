#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recovery/coded_part.hpp"
#include "recovery/held_copy.hpp"

namespace mscale::recovery {

/// How a rank's snapshot that no node has whole can be made again: of which group, and where its parts lie.
struct RebuildPlan {
    CodedGroup group;
    std::vector<std::string> shards; ///< by member, the node that has its snapshot; "" none
    std::vector<std::string> coded;  ///< by member, the node that has its coded part; "" none
    bool operator==(const RebuildPlan&) const = default;

    GroupParts parts() const;
    /// The node that has what a piece is of.
    const std::string& node_of(const GroupPiece& piece) const
    {
        return piece.kind == PieceKind::coded ? coded[piece.member] : shards[piece.member];
    }
};

/// A plan for `rank` of the record, of what `copies` says that the nodes have in memory; nothing when that is too little.  Pure.
std::optional<RebuildPlan> find_rebuild(const CommitRecord& record, const std::vector<HeldCopy>& copies, std::uint32_t rank);

} // namespace mscale::recovery
