#pragma once

#include <compare>
#include <cstddef>
#include <optional>

#include "hal/machine.hpp"

namespace mscale::hal {

/// How near two devices are, the greater the nearer.  Only what both places tell is counted: unknown is never
/// near.
struct Nearness {
    std::size_t shared_bridges = 0; ///< PCI bridges on the way to both; counts most, and so stands first
    bool same_root = false;
    bool same_node = false;
    auto operator<=>(const Nearness&) const = default;
};

Nearness compare_places(const Locality& a, const Locality& b);

/// A port that carries the traffic of GPUs between nodes: an InfiniBand port; where the machine has none,
/// RoCE ports.
bool is_rail(const Machine& machine, const RdmaPort& port);

/// The position in `machine.ports` of the rail nearest to the device at `place`, by PCI bridges, then root,
/// then node, never by equal numbers.  Nothing when no rail is near or two are equally near.
std::optional<std::size_t> find_nearest_rail(const Machine& machine, const Locality& place);

} // namespace mscale::hal
