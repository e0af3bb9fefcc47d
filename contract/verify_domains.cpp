#include "contract/draft.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/device.hpp"
#include "contract/port_text.hpp"

namespace mscale::contract {
namespace {

const hal::NumaNode* find_numa(const hal::Machine& machine, unsigned id)
{
    const auto found = std::ranges::find(machine.numa, id, &hal::NumaNode::id);
    return found == machine.numa.end() ? nullptr : &*found;
}

std::string list_numa_with_cpus(const hal::Machine& machine)
{
    std::vector<std::string> ids;
    for (const hal::NumaNode& node : machine.numa)
        if (!node.cpus.empty()) ids.push_back(std::to_string(node.id));
    return join(ids, ", ");
}

Domain domain_of(const hal::Machine& machine, const hal::Locality& locality, std::string name,
                 Domain::Force force)
{
    const hal::NumaNode* node = locality.numa ? find_numa(machine, *locality.numa) : nullptr;
    if (node == nullptr) return {};
    return {force, locality.cpus.empty() ? node->cpus : locality.cpus, node->id, std::move(name)};
}

void seat_on_numa(Draft& draft, Seat& seat, unsigned id)
{
    const hal::NumaNode* node = find_numa(draft.machine, id);
    const std::string hint = format("use a node with CPUs: {}", list_numa_with_cpus(draft.machine));
    if (node == nullptr)
        draft.refuse(Code::no_such_numa, seat.clause("near"), format("there is no NUMA node {}", id), hint);
    else if (node->cpus.empty())
        draft.refuse(Code::no_such_numa, seat.clause("near"),
                     format("NUMA node {} has no CPUs: it is the memory of a device", id), hint);
    else
        seat.domain = {Domain::Force::contract, node->cpus, id, format("NUMA node {}", id)};
}

void seat_near(Draft& draft, Seat& seat, const hal::Locality& locality, const std::string& device)
{
    seat.domain = domain_of(draft.machine, locality, device, Domain::Force::contract);
    if (seat.domain.must()) return;
    draft.doubt(Code::unknown_locality, seat.clause("near"),
                format("the place of {} is unknown: the machine names no NUMA node for it", device),
                "set contract.strict = no to take any place, or have the firmware mended");
}

/// Places a role that says `near`.  Where the device itself is missing, that is refused already.
void obey_near(Draft& draft, Seat& seat)
{
    const hal::RdmaPort* port = draft.workers[seat.worker].port;
    switch (seat.role->near->to) {
    case Near::To::numa: return seat_on_numa(draft, seat, seat.role->near->numa);
    case Near::To::gpu:
        if (seat.gpu) seat_near(draft, seat, seat.gpu->locality, describe(*seat.gpu));
        return;
    case Near::To::disk:
        if (seat.disk) seat_near(draft, seat, seat.disk->locality, describe(*seat.disk));
        return;
    case Near::To::nic:
        if (port) return seat_near(draft, seat, port->locality, describe(*port));
        draft.refuse(Code::no_such_port, seat.clause("near"), describe_inactive(draft.machine), cure_inactive(draft.machine));
    }
}

bool is_io_heavy(const Draft& draft, const Seat& seat)
{
    return seat.role->disk || std::ranges::count(draft.site.io_roles, seat.name) > 0;
}

/// Whether the site holds the role in the domain of its devices.
bool is_held_by_site(const Draft& draft, const Seat& seat)
{
    switch (draft.site.cross_domain) {
    case CrossDomain::forbid: return true;
    case CrossDomain::io_only: return is_io_heavy(draft, seat);
    case CrossDomain::allow: return false;
    }
    return false;
}

/// Places a role that doesn't say `near`: with its own device where the site forbids to cross, else better
/// near the GPU.
void obey_site(Draft& draft, Seat& seat)
{
    const auto force = is_held_by_site(draft, seat) ? Domain::Force::site : Domain::Force::preferred;
    const bool prefers = force == Domain::Force::site || draft.site.prefer_same_domain;
    if (!prefers) return;
    if (seat.disk)
        seat.domain = domain_of(draft.machine, seat.disk->locality, describe(*seat.disk), force);
    else if (seat.role->gpu && seat.gpu)
        seat.domain = domain_of(draft.machine, seat.gpu->locality, describe(*seat.gpu), force);
    else if (seat.gpu && draft.site.prefer_same_domain)
        seat.domain =
            domain_of(draft.machine, seat.gpu->locality, describe(*seat.gpu), Domain::Force::preferred);
}

/// A role whose own device lies elsewhere than its cores shall.
void verify_crossing(Draft& draft, const Seat& seat, const hal::Locality& device, const std::string& name)
{
    if (!seat.domain.must() || !device.numa || device.numa == seat.domain.numa) return;
    const hal::NumaNode* node = find_numa(draft.machine, *device.numa);
    const std::string cpus = node ? to_string(node->cpus) : "";
    const std::string fact = format("{} lies in NUMA node {} (CPUs {}), the role in NUMA node {}", name,
                                    *device.numa, cpus, seat.domain.numa.value_or(0));
    const std::string clause = seat.clause(seat.role->near ? "near" : "disk");
    if (is_held_by_site(draft, seat))
        draft.refuse(Code::cross_domain, clause, fact, format("use near = numa:{}", *device.numa));
    else
        draft.warn(format("{}: {}", clause, fact));
}

} // namespace

void verify_domains(Draft& draft)
{
    for (Seat& seat : draft.seats) {
        if (seat.role->near)
            obey_near(draft, seat);
        else
            obey_site(draft, seat);
        if (seat.role->gpu && seat.gpu) verify_crossing(draft, seat, seat.gpu->locality, describe(*seat.gpu));
        if (seat.disk) verify_crossing(draft, seat, seat.disk->locality, describe(*seat.disk));
    }
}

} // namespace mscale::contract
