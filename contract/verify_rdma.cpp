#include "contract/draft.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/device.hpp"
#include "contract/rails.hpp"

namespace mscale::contract {
namespace {

const hal::RdmaPort* find_port(const hal::Machine& machine, const std::string& name)
{
    const auto found =
        std::ranges::find_if(machine.ports, [&](const auto& port) { return describe(port) == name; });
    return found == machine.ports.end() ? nullptr : &*found;
}

std::string list_ports(const hal::Machine& machine)
{
    std::vector<std::string> names;
    for (const hal::RdmaPort& port : machine.ports) names.push_back(describe(port));
    return names.empty() ? "none" : join(names, ", ");
}

void verify_state(Draft& draft, const hal::RdmaPort& port)
{
    if (is_active(port)) return;
    std::vector<std::string> others;
    for (const hal::RdmaPort* rail : active_rails(draft.machine)) others.push_back(describe(*rail));
    draft.refuse(Code::port_down, "rdma.port",
                 format("{} is {}, its link is {} at {} Gb/s", describe(port), port.state, port.phys_state,
                        port.rate_gbps),
                 others.empty() ? "no port here is active: have the administrator mend the link"
                                : format("use an active port: {}", join(others, ", ")));
}

void verify_rate(Draft& draft, const hal::RdmaPort& port)
{
    const unsigned asked = draft.contract.rdma.rate_min_gbps.value_or(0);
    if (port.rate_gbps >= asked) return;
    draft.refuse(Code::missing_ability, "rdma.rate_min",
                 format("{} runs at {} Gb/s", describe(port), port.rate_gbps),
                 format("ask for at most {}Gb/s", port.rate_gbps));
}

void verify_named_ports(Draft& draft)
{
    for (const std::string& name : draft.contract.rdma.ports) {
        const hal::RdmaPort* port = find_port(draft.machine, name);
        if (port == nullptr) {
            draft.refuse(Code::no_such_port, "rdma.port",
                         format("there is no {}; the ports are: {}", name, list_ports(draft.machine)),
                         "use one of these, spelled exactly so");
            continue;
        }
        draft.ports.push_back(port);
        if (port->link_layer == "Ethernet")
            draft.note(format("rdma.port: {} is an Ethernet port (RoCE)", name));
        verify_state(draft, *port);
        verify_rate(draft, *port);
    }
}

/// `port = near gpu`: a rail for each worker, none twice.
void place_rails(Draft& draft)
{
    std::vector<const hal::Gpu*> gpus;
    for (const WorkerDraft& worker : draft.workers) gpus.push_back(worker.gpu);
    const auto rails = pair_rails(draft.machine, gpus);
    for (std::size_t worker = 0; worker < rails.size(); ++worker) {
        if (gpus[worker] == nullptr) return; // refused with the GPU
        if (rails[worker] == nullptr) {
            draft.refuse(Code::no_such_port, "rdma.port",
                         format("no active port is left for worker {} of {}", worker, rails.size()),
                         "use fewer workers per node, or name the ports that they share");
            return;
        }
        if (nearness(rails[worker]->locality, gpus[worker]->locality) == 0)
            draft.doubt(gpus[worker]->locality.numa ? Code::far_device : Code::unknown_locality, "rdma.port",
                        format("{} is in {}, its nearest free port {} in {}", describe(*gpus[worker]),
                               describe_place(gpus[worker]->locality), describe(*rails[worker]),
                               describe_place(rails[worker]->locality)),
                        "name the port, or set contract.strict = no");
        draft.workers[worker].port = rails[worker];
        draft.ports.push_back(rails[worker]);
        verify_rate(draft, *rails[worker]);
    }
}

/// The port that `near = nic` means: of those that the contract names, else of all rails, the one nearest to
/// the GPU.
const hal::RdmaPort* nearest_port(const Draft& draft, const WorkerDraft& worker)
{
    const auto& candidates = draft.ports.empty() ? active_rails(draft.machine) : draft.ports;
    if (candidates.empty()) return nullptr;
    const auto near = [&](const hal::RdmaPort* port) {
        return worker.gpu ? nearness(port->locality, worker.gpu->locality) : 0;
    };
    return *std::ranges::max_element(candidates, {}, near);
}

} // namespace

void verify_rdma(Draft& draft)
{
    const Rdma& rdma = draft.contract.rdma;
    verify_named_ports(draft);
    if (rdma.near_gpu) place_rails(draft);
    for (WorkerDraft& worker : draft.workers)
        if (worker.port == nullptr) worker.port = nearest_port(draft, worker);
}

} // namespace mscale::contract
