#include "contract/draft.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/device.hpp"

namespace mscale::contract {
namespace {

struct Member {
    std::string name;
    const hal::Locality* locality;
};

/// The devices of a role that must share the PCIe domain.
std::vector<Member> domain_members(const Seat& seat)
{
    std::vector<Member> members;
    if (seat.gpu) members.push_back({describe(*seat.gpu), &seat.gpu->locality});
    if (seat.disk) members.push_back({describe(*seat.disk), &seat.disk->locality});
    return members;
}

std::string list_pairs(const Draft& draft)
{
    std::vector<std::string> pairs;
    for (const hal::Gpu& gpu : draft.machine.gpus)
        for (const hal::Disk& disk : draft.machine.disks)
            if (!gpu.locality.pci_root.empty() && gpu.locality.pci_root == disk.locality.pci_root)
                pairs.push_back(format("{} with {}", describe(gpu), disk.name));
    return pairs.empty() ? "no GPU here shares a domain with a disk: leave the clause out"
                         : format("pairs that share a domain: {}", join(pairs, ", "));
}

/// The hierarchy isn't shown, so the clause may hold or not.
void doubt_domain(Draft& draft, const Seat& seat, const std::string& subject)
{
    draft.doubt(Code::unknown_locality, seat.clause("pcie_domain"),
                format("{} is unknown: the machine shows no PCI hierarchy above it", subject),
                "set contract.strict = no to take any place, or leave the clause out");
}

void verify_members(Draft& draft, const Seat& seat, const std::string& root)
{
    for (const Member& member : domain_members(seat)) {
        if (member.locality->pci_root == root) continue;
        if (member.locality->pci_root.empty())
            doubt_domain(draft, seat, format("the PCIe domain of {}", member.name));
        else
            draft.refuse(Code::pcie_domain, seat.clause("pcie_domain"),
                         format("the PCIe domain of {} is that of root {}, not that of root {}", member.name,
                                member.locality->pci_root, root),
                         list_pairs(draft));
    }
}

/// The domain with a bus that the contract names.
void verify_named_domain(Draft& draft, const Seat& seat)
{
    const std::string& bus = *seat.role->pcie_domain;
    if (const auto root = find_pci_root(draft.machine, bus)) return verify_members(draft, seat, *root);
    const auto unrooted = list_unrooted(draft.machine);
    if (unrooted.empty())
        draft.refuse(Code::pcie_domain, seat.clause("pcie_domain"), "no device here lies on that bus or below it",
                     list_pairs(draft));
    else
        doubt_domain(draft, seat,
                     format("whether {}{} lies on bus {} or below it", hal::to_string(unrooted.front()),
                            unrooted.size() == 1 ? "" : format(", or one of {} other devices,", unrooted.size() - 1), bus));
}

void verify_pcie_domain(Draft& draft, const Seat& seat)
{
    if (*seat.role->pcie_domain != "gpu") return verify_named_domain(draft, seat);
    if (seat.gpu == nullptr) return; // refused with the GPU
    if (!seat.gpu->locality.pci_root.empty()) return verify_members(draft, seat, seat.gpu->locality.pci_root);
    doubt_domain(draft, seat, format("the PCIe domain of {}", describe(*seat.gpu)));
}

/// A hardware queue is covered when one of its CPUs is the role's: requests of that CPU go by it (blk-mq).
void verify_queues(Draft& draft, const Seat& seat)
{
    if (seat.disk == nullptr || seat.cpus.empty()) return;
    if (seat.disk->queues.empty())
        return draft.warn(format("{}: which CPUs reach the hardware queues of {} is unknown", seat.clause("disk_queues"),
                                 describe(*seat.disk)));
    const auto covered = std::ranges::count_if(
        seat.disk->queues, [&](const hal::DiskQueue& queue) { return queue.cpus.intersects(seat.cpus); });
    if (covered >= static_cast<long>(*seat.role->disk_queues)) return;
    draft.refuse(Code::io_depth, seat.clause("disk_queues"),
                 format("CPUs {} reach {} hardware queue{} of {}", to_string(seat.cpus), covered,
                        covered == 1 ? "" : "s", describe(*seat.disk)),
                 format("ask for at most {}, or for more cores", covered));
}

void verify_isa(Draft& draft, const Seat& seat)
{
    if (draft.machine.kernel.cpu_flags.empty())
        return draft.doubt(Code::missing_ability, seat.clause("isa"), "what the CPUs can do is unknown",
                           "leave the clause out, or set contract.strict = no");
    for (const std::string_view flag : split(*seat.role->isa, '+'))
        if (!std::ranges::count(draft.machine.kernel.cpu_flags, trim(flag)))
            draft.refuse(Code::missing_ability, seat.clause("isa"),
                         format("the CPUs don't have {}", trim(flag)),
                         "use nodes whose CPUs have it, or leave the clause out");
}

} // namespace

void verify_abilities(Draft& draft)
{
    for (const Seat& seat : draft.seats) {
        if (seat.role->pcie_domain) verify_pcie_domain(draft, seat);
        if (seat.role->disk_queues) verify_queues(draft, seat);
        if (seat.role->isa) verify_isa(draft, seat);
    }
}

} // namespace mscale::contract
