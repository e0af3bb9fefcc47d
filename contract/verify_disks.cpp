#include "contract/draft.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "contract/device.hpp"
#include "hal/disk_name.hpp"

namespace mscale::contract {
namespace {

using Disks = std::vector<const hal::Disk*>;
using Users = std::map<const hal::Disk*, unsigned>;

/// What the clause takes: the disks that it may name, and "any" where only it means another.
std::vector<std::string> list_disks(const hal::Machine& machine)
{
    std::vector<std::string> names;
    for (const hal::Disk& disk : machine.disks)
        if (hal::classify_disk_name(disk.name) == hal::DiskName::whole_namespace) names.push_back(disk.name);
    const bool any = std::ranges::any_of(machine.disks, [](const hal::Disk& disk) { return !disk.zoned; });
    if (names.empty() && any) names.push_back("any");
    return names;
}

/// "nvme0n1p2" -> "nvme0n1", when that is what the name is.
const hal::Disk* disk_of_partition(const hal::Machine& machine, const std::string& name)
{
    const auto has_it = [&](const hal::Disk& disk) { return std::ranges::count(disk.partitions, name) > 0; };
    const auto found = std::ranges::find_if(machine.disks, has_it);
    return found == machine.disks.end() ? nullptr : &*found;
}

/// "/dev/disk/by-id/nvme-eui.0025385000000001" by EUI, "/dev/disk/by-id/nvme-MODEL_SERIAL" by serial number.
bool is_named_by_id(const hal::Disk& disk, std::string_view wanted)
{
    constexpr std::string_view prefix = "/dev/disk/by-id/nvme-";
    if (!wanted.starts_with(prefix)) return false;
    wanted.remove_prefix(prefix.size());
    return (!disk.wwid.empty() && wanted == disk.wwid) || (!disk.serial.empty() && wanted.ends_with("_" + disk.serial));
}

/// What the contract wants: a name, or a kind.  A zoned drive takes no ordinary writes, so it is only had by
/// name.
bool is_wanted(const hal::Disk& disk, const std::string& wanted)
{
    if (disk.name == wanted || is_named_by_id(disk, wanted)) return true;
    if (disk.zoned) return false;
    return wanted == "any" || (wanted == "nvme" && disk.kind == "nvme");
}

void refuse_absent(Draft& draft, const std::string& clause, const std::vector<std::string>& names)
{
    if (names.empty())
        draft.refuse(Code::no_such_disk, clause, "the machine has no disk that the clause may mean",
                     "leave the clause out");
    else if (names == std::vector<std::string>{"any"})
        draft.refuse(Code::no_such_disk, clause, "the machine has disks, but no NVMe namespace",
                     "write any, or leave the clause out");
    else
        draft.refuse(Code::no_such_disk, clause, format("the disks here are: {}", join(names, ", ")),
                     "use one of these, or leave the clause out");
}

void refuse_disk(Draft& draft, const Seat& seat, const std::string& wanted)
{
    const std::string clause = seat.clause(seat.role->disk ? "disk" : "near");
    if (const hal::Disk* whole = disk_of_partition(draft.machine, wanted))
        draft.refuse(Code::no_such_disk, clause, format("{} is a partition of {}", wanted, describe(*whole)),
                     format("name the whole disk: {}", whole->name));
    else
        refuse_absent(draft, clause, list_disks(draft.machine));
}

/// How well a disk serves a role: in the PCIe domain that is asked, then deep enough, then near, then little
/// used.
auto rank(const Draft& draft, const Seat& seat, const hal::Disk& disk, const Users& users)
{
    const hal::Locality anywhere;
    const hal::Locality& gpu = seat.gpu ? seat.gpu->locality : anywhere;
    const bool paired =
        seat.role->pcie_domain &&
        disk.locality.pci_root == (*seat.role->pcie_domain == "gpu"
                                       ? gpu.pci_root
                                       : find_pci_root(draft.machine, *seat.role->pcie_domain));
    const bool deep = disk.nr_requests >= seat.role->io_depth.value_or(0);
    const bool on_node = seat.role->near && seat.role->near->to == Near::To::numa &&
                         disk.locality.numa == seat.role->near->numa;
    const auto user = users.find(&disk);
    const long others = user == users.end() ? 0 : static_cast<long>(user->second);
    return std::tuple(paired, deep, on_node, nearness(disk.locality, gpu), -others);
}

void verify_depth(Draft& draft, const Seat& seat)
{
    const hal::Disk& disk = *seat.disk;
    const unsigned depth = seat.role->io_depth.value_or(0);
    if (depth <= disk.nr_requests) return;
    if (disk.nr_requests == 0)
        draft.doubt(Code::io_depth, seat.clause("io_depth"),
                    format("the depth of {} is unknown", describe(disk)),
                    "leave the clause out, or set contract.strict = no");
    else
        draft.refuse(Code::io_depth, seat.clause("io_depth"),
                     format("the queues of {} take {} requests", describe(disk), disk.nr_requests),
                     format("ask for at most {}", disk.nr_requests));
}

void verify_queue_count(Draft& draft, const Seat& seat)
{
    const unsigned asked = seat.role->disk_queues.value_or(0);
    if (asked <= seat.disk->queue_count) return;
    if (seat.disk->queue_count == 0)
        return draft.doubt(Code::io_depth, seat.clause("disk_queues"),
                           format("the number of queues of {} is unknown", describe(*seat.disk)),
                           "leave the clause out, or set contract.strict = no");
    draft.refuse(Code::io_depth, seat.clause("disk_queues"),
                 format("{} has {} hardware queues", describe(*seat.disk), seat.disk->queue_count),
                 format("ask for at most {}", seat.disk->queue_count));
}

void place_disk(Draft& draft, Seat& seat, Users& users)
{
    const std::string wanted = seat.role->disk.value_or("any");
    for (const hal::Disk& disk : draft.machine.disks) {
        if (!is_wanted(disk, wanted)) continue;
        if (seat.disk == nullptr || rank(draft, seat, disk, users) > rank(draft, seat, *seat.disk, users))
            seat.disk = &disk;
    }
    if (seat.disk == nullptr) return refuse_disk(draft, seat, wanted);
    ++users[seat.disk];
    verify_depth(draft, seat);
    verify_queue_count(draft, seat);
}

} // namespace

void verify_disks(Draft& draft)
{
    Users users;
    for (Seat& seat : draft.seats)
        if (needs_disk(*seat.role)) place_disk(draft, seat, users);
}

} // namespace mscale::contract
