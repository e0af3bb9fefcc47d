#include "contract/rails.hpp"

#include <algorithm>

#include "contract/device.hpp"

namespace mscale::contract {
namespace {

struct Pair {
    std::size_t gpu = 0;
    const hal::RdmaPort* port = nullptr;
    unsigned nearness = 0;
};

std::vector<Pair> nearest_first(const std::vector<const hal::Gpu*>& gpus,
                                const std::vector<const hal::RdmaPort*>& rails)
{
    std::vector<Pair> pairs;
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
        for (const hal::RdmaPort* port : rails)
            if (gpus[gpu]) pairs.push_back({gpu, port, nearness(gpus[gpu]->locality, port->locality)});
    std::ranges::stable_sort(pairs, std::ranges::greater(), &Pair::nearness);
    return pairs;
}

} // namespace

bool is_active(const hal::RdmaPort& port)
{
    return port.state == "ACTIVE";
}

std::vector<const hal::RdmaPort*> active_rails(const hal::Machine& machine)
{
    const auto is_infiniband = [](const hal::RdmaPort& port) { return port.link_layer == "InfiniBand"; };
    const bool any_infiniband = std::ranges::any_of(machine.ports, is_infiniband);
    std::vector<const hal::RdmaPort*> rails;
    for (const hal::RdmaPort& port : machine.ports)
        if (is_active(port) && (!any_infiniband || is_infiniband(port))) rails.push_back(&port);
    return rails;
}

std::vector<const hal::RdmaPort*> pair_rails(const hal::Machine& machine,
                                             const std::vector<const hal::Gpu*>& gpus)
{
    std::vector<const hal::RdmaPort*> paired(gpus.size(), nullptr);
    for (const Pair& pair : nearest_first(gpus, active_rails(machine))) {
        const bool port_taken = std::ranges::find(paired, pair.port) != paired.end();
        if (paired[pair.gpu] == nullptr && !port_taken) paired[pair.gpu] = pair.port;
    }
    return paired;
}

} // namespace mscale::contract
