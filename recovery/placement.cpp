#include "recovery/placement.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"

namespace mscale::recovery {
namespace {

const std::string& domain_of(const KeeperPlace& keeper)
{
    return keeper.domain.empty() ? keeper.node : keeper.domain;
}

/// Indices of the keepers, those of one domain beside each other.
std::vector<std::size_t> sort_by_domain(const std::vector<KeeperPlace>& keepers)
{
    std::vector<std::size_t> order(keepers.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) { return std::pair(domain_of(keepers[i]), keepers[i].node); });
    return order;
}

std::size_t largest_domain(const std::vector<KeeperPlace>& keepers)
{
    std::map<std::string, std::size_t> sizes;
    for (const KeeperPlace& keeper : keepers) ++sizes[domain_of(keeper)];
    std::size_t largest = 0;
    for (const auto& [domain, size] : sizes) largest = std::max(largest, size);
    return largest;
}

/// How far each copy is moved along the sorted nodes.  A rotation gives every node as many copies as every
/// other; one by the size of the largest domain leaves the node's own, and multiples of it, while they don't
/// come around, each a new one.
std::vector<std::size_t> choose_turns(std::size_t count, std::size_t largest, unsigned copies)
{
    const std::size_t stride = (copies + 1) * largest <= count ? largest : 1;
    std::vector<std::size_t> turns;
    for (std::size_t turn = largest; turns.size() < copies; turn += stride)
        if (turn % count != 0) turns.push_back(turn % count);
    return turns;
}

Placement turn_copies(const std::vector<KeeperPlace>& keepers, std::size_t first_turn, unsigned copies)
{
    const std::size_t count = keepers.size();
    const std::vector<std::size_t> order = sort_by_domain(keepers);
    Placement placement(count);
    for (const std::size_t turn : choose_turns(count, first_turn, copies))
        for (std::size_t i = 0; i < count; ++i)
            placement[order[i]].push_back(keepers[order[(i + turn) % count]].node);
    return placement;
}

} // namespace

Result<Placement> place_copies(const std::vector<KeeperPlace>& keepers, unsigned copies)
{
    const std::size_t count = keepers.size();
    const std::size_t largest = largest_domain(keepers);
    if (copies == 0) return Placement(count);
    if (copies >= count || 2 * largest > count)
        return failure(Code::no_partner, format("{} copies on {} nodes, of which one failure domain holds {}",
                                                copies, count, largest));
    return turn_copies(keepers, largest, copies);
}

Result<Placement> spread_copies(const std::vector<KeeperPlace>& keepers, unsigned copies)
{
    auto placement = place_copies(keepers, copies);
    if (placement || copies >= keepers.size()) return placement;
    // Half way round: no turn brings more nodes of the domain that is too large to one outside it.
    return turn_copies(keepers, keepers.size() / 2, copies);
}

std::string find_exposure(const std::vector<KeeperPlace>& keepers, const Placement& placement, std::size_t node)
{
    const std::string& own = keepers[node].domain;
    if (own.empty() || placement[node].empty()) return "";
    for (const KeeperPlace& keeper : keepers)
        if (keeper.domain != own && std::ranges::find(placement[node], keeper.node) != placement[node].end()) return "";
    return own;
}

} // namespace mscale::recovery
