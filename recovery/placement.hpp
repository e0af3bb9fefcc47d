#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace mscale::recovery {

/// A node that keeps snapshots and what would be lost together with it: a switch, a rack, or the node alone.
struct KeeperPlace {
    std::string node;
    std::string domain; ///< "" : the node is a domain of its own
    bool operator==(const KeeperPlace&) const = default;
};

/// For each node, in the order given, the nodes that hold copies of its ranks' snapshots; as many as were
/// asked for.
using Placement = std::vector<std::vector<std::string>>;

/// Places `copies` copies so that the first is in another domain than the node (and all of them in different
/// ones where the domains are small enough), every node holds as many as every other, and no copy lies on the
/// node itself.  The same nodes give the same placement everywhere.  no_partner, with numbers, when one
/// domain holds more than half of the nodes or there are too few nodes.  Pure.
Result<Placement> place_copies(const std::vector<KeeperPlace>& keepers, unsigned copies);

/// As place_copies, but where one domain holds more than half of the nodes, as few nodes as possible have all their copies in
/// their own domain.  no_partner only when there are too few nodes.
Result<Placement> spread_copies(const std::vector<KeeperPlace>& keepers, unsigned copies);

/// The domain whose loss takes this node and all its copies; "" when none does, or it is the node alone.
std::string find_exposure(const std::vector<KeeperPlace>& keepers, const Placement& placement, std::size_t node);

} // namespace mscale::recovery
