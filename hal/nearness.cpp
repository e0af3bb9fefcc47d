#include "hal/nearness.hpp"

#include <algorithm>

namespace mscale::hal {

Nearness compare_places(const Locality& a, const Locality& b)
{
    Nearness nearness;
    nearness.same_node = a.numa && a.numa == b.numa;
    nearness.same_root = !a.pci_root.empty() && a.pci_root == b.pci_root;
    const std::size_t depth = std::min(a.bridges.size(), b.bridges.size());
    while (nearness.shared_bridges < depth &&
           a.bridges[nearness.shared_bridges] == b.bridges[nearness.shared_bridges])
        ++nearness.shared_bridges;
    return nearness;
}

bool is_rail(const Machine& machine, const RdmaPort& port)
{
    const auto is_infiniband = [](const RdmaPort& p) { return p.link_layer == "InfiniBand"; };
    return is_infiniband(port) || std::none_of(machine.ports.begin(), machine.ports.end(), is_infiniband);
}

std::optional<std::size_t> find_nearest_rail(const Machine& machine, const Locality& place)
{
    std::optional<std::size_t> nearest;
    Nearness best;
    for (std::size_t i = 0; i < machine.ports.size(); ++i) {
        if (!is_rail(machine, machine.ports[i])) continue;
        const Nearness nearness = compare_places(place, machine.ports[i].locality);
        if (nearness > best)
            nearest = i;
        else if (nearness == best)
            nearest.reset();
        best = std::max(best, nearness);
    }
    return nearest;
}

} // namespace mscale::hal
