#include "contract/port_text.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "contract/device.hpp"

namespace mscale::contract {
namespace {

bool is_unknown(const hal::RdmaPort& port)
{
    return port.state.empty();
}

std::string list_unknown(const hal::Machine& machine)
{
    std::vector<std::string> names;
    for (const hal::RdmaPort& port : machine.ports)
        if (is_unknown(port)) names.push_back(describe(port));
    return join(names, ", ");
}

} // namespace

std::string list_ports(const hal::Machine& machine)
{
    std::vector<std::string> names;
    for (const hal::RdmaPort& port : machine.ports) names.push_back(describe(port));
    return join(names, ", ");
}

std::string describe_state(const hal::RdmaPort& port)
{
    if (is_unknown(port)) return format("whether {} is active isn't known: its state wasn't read", describe(port));
    if (port.phys_state.empty())
        return format("{} is {}, the state of its link isn't known", describe(port), port.state);
    return format("{} is {}, its link is {} at {} Gb/s", describe(port), port.state, port.phys_state, port.rate_gbps);
}

std::string describe_inactive(const hal::Machine& machine)
{
    if (machine.ports.empty()) return "the machine has no RDMA port";
    const std::string unknown = list_unknown(machine);
    return unknown.empty() ? format("no RDMA port is active; the ports are: {}", list_ports(machine))
                           : format("no RDMA port is known to be active; of {} the state wasn't read", unknown);
}

std::string cure_inactive(const hal::Machine& machine)
{
    const auto unknown = std::ranges::find_if(machine.ports, is_unknown);
    if (unknown == machine.ports.end()) return "leave the clause out, or use a node that has an active port";
    const std::string file = format("/sys/class/infiniband/{}/ports/{}/state", unknown->device, unknown->port);
    return machine.this_system
               ? format("leave the clause out, or have {} made readable", file)
               : format("leave the clause out, or judge by what `mscale topology --json` prints on the machine itself, where {} "
                        "tells the state",
                        file);
}

} // namespace mscale::contract
