#include "contract/draft.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/device.hpp"
#include "contract/port_text.hpp"
#include "contract/rails.hpp"

namespace mscale::contract {
namespace {

const hal::RdmaPort* find_port(const hal::Machine& machine, const std::string& name)
{
    const auto found =
        std::ranges::find_if(machine.ports, [&](const auto& port) { return describe(port) == name; });
    return found == machine.ports.end() ? nullptr : &*found;
}

std::string cure_inactive_port(const hal::Machine& machine)
{
    std::vector<std::string> others;
    for (const hal::RdmaPort* rail : active_rails(machine)) others.push_back(describe(*rail));
    return others.empty() ? cure_inactive(machine) : format("use an active port: {}", join(others, ", "));
}

void verify_state(Draft& draft, const hal::RdmaPort& port)
{
    if (!is_active(port))
        draft.refuse(Code::port_down, "rdma.port", describe_state(port), cure_inactive_port(draft.machine));
}

void verify_rate(Draft& draft, const hal::RdmaPort& port)
{
    const unsigned asked = draft.contract.rdma.rate_min_gbps.value_or(0);
    if (port.rate_gbps >= asked) return;
    if (port.rate_gbps == 0)
        return draft.refuse(Code::missing_ability, "rdma.rate_min",
                            format("the rate of {} isn't known: it wasn't read", describe(port)),
                            format("leave the clause out, or judge on the machine itself: "
                                   "/sys/class/infiniband/{}/ports/{}/rate tells it there",
                                   port.device, port.port));
    draft.refuse(Code::missing_ability, "rdma.rate_min",
                 format("{} runs at {} Gb/s", describe(port), port.rate_gbps),
                 format("ask for at most {}Gb/s", port.rate_gbps));
}

void refuse_port(Draft& draft, const std::string& name)
{
    if (draft.machine.ports.empty())
        draft.refuse(Code::no_such_port, "rdma.port",
                     format("there is no {}: the machine has no RDMA port", name), cure_inactive(draft.machine));
    else
        draft.refuse(Code::no_such_port, "rdma.port",
                     format("there is no {}; the ports are: {}", name, list_ports(draft.machine)),
                     "use one of these, spelled exactly so");
}

void verify_named_ports(Draft& draft)
{
    for (const std::string& name : draft.contract.rdma.ports) {
        const hal::RdmaPort* port = find_port(draft.machine, name);
        if (port == nullptr) {
            refuse_port(draft, name);
            continue;
        }
        draft.ports.push_back(port);
        if (port->link_layer == "Ethernet")
            draft.note(format("rdma.port: {} is an Ethernet port (RoCE)", name));
        verify_state(draft, *port);
        verify_rate(draft, *port);
    }
}

void refuse_without_rail(Draft& draft, const std::string& clause)
{
    draft.refuse(Code::no_such_port, clause, describe_inactive(draft.machine), cure_inactive(draft.machine));
}

void refuse_rail(Draft& draft, std::size_t worker)
{
    const std::size_t rails = active_rails(draft.machine).size();
    if (rails == 0)
        refuse_without_rail(draft, "rdma.port");
    else
        draft.refuse(Code::no_such_port, "rdma.port",
                     format("{} active port{} can't be given to {} workers: none is left for worker {} of {}",
                            rails, rails == 1 ? "" : "s", draft.workers.size(), worker + 1,
                            draft.workers.size()),
                     format("use at most {} worker{} per node, or name the ports that they share", rails,
                            rails == 1 ? "" : "s"));
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
            refuse_rail(draft, worker);
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

/// The clauses that say how ports are used, not which.
std::vector<std::string> port_uses(const Rdma& rdma)
{
    std::vector<std::string> names;
    if (rdma.pool) names.emplace_back("rdma.pool");
    if (rdma.credit_window) names.emplace_back("rdma.credit_window");
    if (rdma.retry_count) names.emplace_back("rdma.retry_count");
    if (rdma.queue_pairs) names.emplace_back("rdma.queue_pairs");
    if (rdma.rate_min_gbps) names.emplace_back("rdma.rate_min");
    if (rdma.gid) names.emplace_back("rdma.gid");
    if (rdma.timeout) names.emplace_back("rdma.timeout");
    return names;
}

/// They hold for the ports of the contract; where it names none, for every active one.
void verify_uses(Draft& draft)
{
    const Rdma& rdma = draft.contract.rdma;
    const auto rails = draft.ports.empty() ? active_rails(draft.machine) : draft.ports;
    if (rails.empty())
        for (const std::string& clause : port_uses(rdma)) refuse_without_rail(draft, clause);
    if (rdma.near_gpu || !rdma.ports.empty()) return; // judged by port
    for (const hal::RdmaPort* rail : rails) verify_rate(draft, *rail);
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
    if (rdma != Rdma{}) verify_uses(draft);
    for (WorkerDraft& worker : draft.workers)
        if (worker.port == nullptr) worker.port = nearest_port(draft, worker);
}

} // namespace mscale::contract
