#include "recovery/coding.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "recovery/manifest.hpp"
#include "recovery/redundancy.hpp"
#include "recovery/segment.hpp"

namespace mscale::recovery {
namespace {

const std::string& domain_of_rank(const RankPlace& place)
{
    return place.domain.empty() ? place.node : place.domain;
}

std::size_t count_largest(const std::vector<RankPlace>& places)
{
    std::map<std::string, std::size_t> ranks;
    std::size_t largest = 0;
    for (const RankPlace& place : places) largest = std::max(largest, ++ranks[domain_of_rank(place)]);
    return largest;
}

/// What is there of a stripe.
unsigned count_parts(const CodedGroup& group, unsigned stripe, const GroupParts& parts)
{
    unsigned count = 0;
    for (unsigned shard = 0; shard < group.segments(); ++shard)
        count += parts.shards[group.member_of(stripe, shard)] ? 1 : 0;
    for (unsigned piece = 0; piece < group.parity; ++piece)
        count += parts.coded[group.holder_of(stripe, piece)] ? 1 : 0;
    return count;
}

bool has_manifest(const CodedGroup& group, unsigned member, const GroupParts& parts)
{
    for (unsigned next = 1; next <= group.parity; ++next)
        if (parts.coded[(member + next) % group.size()]) return true;
    return false;
}

} // namespace

Result<RankGroups> place_groups(std::vector<RankPlace> places, const CodingScheme& scheme)
{
    const std::size_t count = scheme.members == 0 ? 0 : places.size() / scheme.members;
    const std::size_t largest = count_largest(places);
    if (count == 0 || largest > count)
        return failure(Code::no_partner,
                       format("{} ranks, of which one failure domain holds {}, in groups of {}: no two of a group may be lost "
                              "together",
                              places.size(), largest, scheme.members),
                       "ask for more nodes, or for smaller groups in ft.redundancy");
    std::ranges::sort(places, {}, [](const RankPlace& place) {
        return std::tuple(domain_of_rank(place), place.node, place.rank);
    });
    // Dealt out in turn: the ranks of a domain lie beside each other and are no more than the groups.
    RankGroups groups(count);
    for (std::size_t i = 0; i < places.size(); ++i) groups[i % count].push_back(places[i].rank);
    return groups;
}

std::string find_exposing_domain(const std::vector<RankPlace>& places, const RankGroups& groups, unsigned parity)
{
    std::map<std::uint32_t, std::string> domains;
    for (const RankPlace& place : places) domains[place.rank] = place.domain;
    for (const auto& group : groups) {
        std::map<std::string, std::size_t> members;
        for (const std::uint32_t rank : group)
            if (const std::string& domain = domains[rank]; !domain.empty() && ++members[domain] > parity) return domain;
    }
    return "";
}

std::uint64_t CodedGroup::segment_bytes() const
{
    std::uint64_t longest = 0;
    for (const Member& member : members) longest = std::max(longest, member.data_bytes);
    const std::uint64_t bytes = longest / segments() + (longest % segments() == 0 ? 0 : 1);
    return (bytes + SegmentLayout::page - 1) / SegmentLayout::page * SegmentLayout::page;
}

std::uint64_t CodedGroup::segment_bytes(unsigned member, unsigned segment) const
{
    const std::uint64_t longest = segment_bytes(), data = members[member].data_bytes;
    return std::min(longest, data - std::min(data, segment * longest));
}

std::uint64_t CodedGroup::stripe_bytes(unsigned stripe) const
{
    std::uint64_t longest = 0;
    for (unsigned shard = 0; shard < segments(); ++shard)
        longest = std::max(longest, segment_bytes(member_of(stripe, shard), shard));
    return longest;
}

std::optional<unsigned> CodedGroup::find(std::uint32_t rank) const
{
    const auto found = std::ranges::find(members, rank, &Member::rank);
    if (found == members.end()) return std::nullopt;
    return static_cast<unsigned>(found - members.begin());
}

Result<void> check_group(const CodedGroup& group)
{
    std::set<std::uint32_t> ranks;
    bool within = group.parity > 0 && group.parity < group.members.size() && group.members.size() <= most_parts;
    for (const CodedGroup::Member& member : group.members)
        within = within && ranks.insert(member.rank).second &&
                 member.data_bytes <= SegmentLayout::most_state_bytes &&
                 member.manifest_bytes <= most_manifest_bytes;
    if (within) return {};
    return failure(Code::save_order,
                   format("a group of {} members and {} parity can't be coded", group.members.size(), group.parity));
}

bool can_rebuild(const CodedGroup& group, unsigned member, const GroupParts& parts)
{
    for (unsigned segment = 0; segment < group.segments(); ++segment) {
        const unsigned stripe = group.stripe_of(member, segment);
        if (group.segment_bytes(member, segment) > 0 && count_parts(group, stripe, parts) < group.segments())
            return false;
    }
    return has_manifest(group, member, parts);
}

} // namespace mscale::recovery
