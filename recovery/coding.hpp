#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "contract/redundancy.hpp"

/// Which ranks are coded together, and which bytes of theirs.  Pure.
namespace mscale::recovery {

using contract::CodingScheme;

/// Where a rank runs and what would be lost together with it.
struct RankPlace {
    std::uint32_t rank = 0;
    std::string node;
    std::string domain; ///< "": the node is a domain of its own
    bool operator==(const RankPlace&) const = default;
};

/// Ranks by group, each in the order of its members.
using RankGroups = std::vector<std::vector<std::uint32_t>>;

/// Puts every rank into one group, no two of a group in one failure domain; the same places give the same groups
/// everywhere.  Groups have at least as many members as the scheme asks for.  no_partner, with numbers, when there are too few
/// ranks, or too many of them in one domain.
Result<RankGroups> place_groups(std::vector<RankPlace> places, const CodingScheme& scheme);

/// A domain that holds more members of some group than its parity makes good, other than a node alone; "" where there is none.
std::string find_exposing_domain(const std::vector<RankPlace>& places, const RankGroups& groups, unsigned parity);

/// One epoch of a group.  Each member's data are cut into as many segments as the group has members beyond the parity; the
/// group has a stripe for each member.  Stripe t is made of segment k of member t + parity + k, for every k, and its parity j
/// is held by member t + j (all modulo the members): so each member holds its own data and `parity` coded pieces, none of which
/// is made of its own data.
struct CodedGroup {
    struct Member {
        std::uint32_t rank = 0;
        std::uint64_t data_bytes = 0;
        std::uint64_t manifest_bytes = 0;
        bool operator==(const Member&) const = default;
    };
    unsigned parity = 0;
    std::vector<Member> members;
    bool operator==(const CodedGroup&) const = default;

    unsigned size() const { return static_cast<unsigned>(members.size()); }
    /// Segments of a member, and shards of a stripe.
    unsigned segments() const { return size() - parity; }
    /// The member whose segment `shard` is in the stripe.
    unsigned member_of(unsigned stripe, unsigned shard) const { return (stripe + parity + shard) % size(); }
    /// The stripe that a member's segment is in.
    unsigned stripe_of(unsigned member, unsigned segment) const
    {
        return (member + 2 * size() - parity - segment) % size();
    }
    /// The member that holds a parity of the stripe.
    unsigned holder_of(unsigned stripe, unsigned piece) const { return (stripe + piece) % size(); }
    /// The stripe that a member's coded piece is of.
    unsigned stripe_of_piece(unsigned member, unsigned piece) const { return (member + size() - piece) % size(); }

    /// Bytes of the longest segment; that of segment k of any member begins at k times as many.
    std::uint64_t segment_bytes() const;
    /// Bytes of one member's segment; the last may be shorter, or nothing.
    std::uint64_t segment_bytes(unsigned member, unsigned segment) const;
    /// Bytes of each coded piece of the stripe: as many as of its longest shard.
    std::uint64_t stripe_bytes(unsigned stripe) const;
    /// The member that is this rank, or nothing.
    std::optional<unsigned> find(std::uint32_t rank) const;
};

/// save_order unless it has more members than parity, both within what can be coded, and no rank twice.
Result<void> check_group(const CodedGroup& group);

/// What is there of a group, by member.
struct GroupParts {
    std::vector<bool> shards; ///< its own data and manifest
    std::vector<bool> coded;  ///< its coded part
};
/// True when the data and the manifest of `member` can be made of what is there of the others.
bool can_rebuild(const CodedGroup& group, unsigned member, const GroupParts& parts);

} // namespace mscale::recovery
