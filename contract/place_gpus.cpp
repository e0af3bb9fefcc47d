#include "contract/place_gpus.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "contract/device.hpp"
#include "contract/gpu_slice.hpp"

namespace mscale::contract {
namespace {

using Gpus = std::vector<const hal::Gpu*>;

/// What is still free of a GPU.
struct Room {
    unsigned chunks = 0; ///< free
    std::uint64_t memory = 0;
    unsigned workers = 0;
};
using Rooms = std::map<const hal::Gpu*, Room>;

/// gres/sm counts the chunks of all GPUs in their order: slice 20 of two GPUs with 16 chunks is the fifth of
/// the second.
const hal::Gpu* gpu_of_slice(const hal::Machine& machine, unsigned slice)
{
    for (const hal::Gpu& gpu : machine.gpus) {
        if (slice < count_chunks(gpu)) return &gpu;
        slice -= count_chunks(gpu);
    }
    return nullptr;
}

Rooms open_rooms(const Draft& draft, const Gpus& gpus)
{
    Rooms rooms;
    const auto& slices = draft.question.allocation.sm_slices;
    for (const hal::Gpu* gpu : gpus)
        rooms[gpu] = {slices.empty() ? count_chunks(*gpu) : 0, gpu->memory_bytes, 0};
    for (const unsigned slice : slices) {
        const auto room = rooms.find(gpu_of_slice(draft.machine, slice));
        if (room != rooms.end()) ++room->second.chunks;
    }
    return rooms;
}

bool has_room(const Draft& draft, const Room& room, const Slice& slice)
{
    const bool soft = draft.contract.gpu.sm_mode == "soft";
    const bool alone = draft.contract.gpu.fault_domain == "private";
    const bool whole = slice.chunks == 0 && (slice.sms > 0 || alone);
    if (whole && room.workers > 0 && !soft) return false;
    return (soft || room.chunks >= slice.chunks) && room.memory >= draft.contract.gpu.memory.value_or(0);
}

/// Whether a disk lies in the GPU's PCIe domain, for contracts that pair them.
bool has_paired_disk(const Draft& draft, const hal::Gpu& gpu)
{
    const auto pairs = [](const auto& entry) { return entry.second.pcie_domain && entry.second.disk; };
    if (std::ranges::none_of(draft.contract.roles, pairs)) return true;
    return std::ranges::any_of(draft.machine.disks, [&](const hal::Disk& disk) {
        return !gpu.locality.pci_root.empty() && disk.locality.pci_root == gpu.locality.pci_root;
    });
}

/// Those whose root complex every `pcie_domain` of the contract names; all of them when none does.
Gpus in_named_domains(const Draft& draft, const Gpus& gpus)
{
    Gpus kept = gpus;
    for (const auto& [name, role] : draft.contract.roles) {
        if (!role.pcie_domain || *role.pcie_domain == "gpu") continue;
        const auto root = find_pci_root(draft.machine, *role.pcie_domain);
        std::erase_if(kept, [&](const hal::Gpu* gpu) { return gpu->locality.pci_root != root; });
    }
    return kept.empty() ? gpus : kept;
}

/// True where a worker is promised something of a GPU that another one can't have as well.
bool holds_part(const GpuClause& gpu)
{
    return gpu.sm || gpu.share || gpu.memory || gpu.fault_domain.value_or("shared") == "private";
}

/// The GPU that roles name is the one that their worker holds: the only one of a node, and each that is promised a part of it.
Gpus follow_named_gpu(const Draft& draft, const Gpus& gpus)
{
    if (draft.workers.size() > 1 && !holds_part(draft.contract.gpu)) return in_named_domains(draft, gpus);
    for (const Seat& seat : draft.seats)
        if (std::ranges::find(gpus, seat.gpu) != gpus.end()) return {seat.gpu};
    return in_named_domains(draft, gpus);
}

const hal::Gpu* choose_gpu(const Draft& draft, const Gpus& gpus, const Rooms& rooms)
{
    const hal::Gpu* best = nullptr;
    std::tuple<bool, bool, long, unsigned> best_rank{};
    for (const hal::Gpu* gpu : gpus) {
        const Room& room = rooms.at(gpu);
        if (!has_room(draft, room, cut_slice(draft.contract, *gpu).value_or(Slice{}))) continue;
        const bool near = !gpu->locality.numa || draft.usable.intersects(gpu->locality.cpus);
        const std::tuple rank(has_paired_disk(draft, *gpu), near, -static_cast<long>(room.workers),
                              room.chunks);
        if (best != nullptr && rank <= best_rank) continue;
        best = gpu;
        best_rank = rank;
    }
    return best;
}

/// Whole GPUs are granted in the order of the tasks.
const hal::Gpu* next_gpu(const Draft& draft, const Gpus& gpus, const Rooms& rooms, std::size_t worker)
{
    const bool granted = !draft.question.allocation.gpus.empty();
    const hal::Gpu* in_order = gpus[worker % gpus.size()];
    const auto slice = cut_slice(draft.contract, *in_order).value_or(Slice{});
    if (granted && has_room(draft, rooms.at(in_order), slice)) return in_order;
    return choose_gpu(draft, gpus, rooms);
}

void seat_worker(Draft& draft, Rooms& rooms, std::size_t worker, const hal::Gpu* gpu)
{
    const auto slice = cut_slice(draft.contract, *gpu).value_or(Slice{});
    Room& room = rooms[gpu];
    room.chunks -= std::min(room.chunks, slice.chunks);
    room.memory -= std::min(room.memory, draft.contract.gpu.memory.value_or(0));
    ++room.workers;
    draft.workers[worker].gpu = gpu;
    draft.workers[worker].sms = slice.sms;
    draft.workers[worker].chunks = slice.chunks;
    if (draft.contract.gpu.sm && slice.sms != *draft.contract.gpu.sm && slice.sms > 0)
        draft.note(format("gpu.sm: {} is rounded up to {}; {}", *draft.contract.gpu.sm, slice.sms,
                          describe_sms(*gpu)));
}

/// How many workers a GPU holds by each clause alone.
std::map<std::string, std::uint64_t> count_by_clause(const Draft& draft, const Room& open, const Slice& slice)
{
    const GpuClause& gpu = draft.contract.gpu;
    const bool soft = gpu.sm_mode == "soft";
    std::map<std::string, std::uint64_t> workers;
    if (gpu.memory.value_or(0) > 0) workers["gpu.memory"] = open.memory / *gpu.memory;
    if (gpu.fault_domain == "private" && slice.sms == 0 && !soft) workers["gpu.fault_domain"] = 1;
    if (slice.sms > 0 && !soft) workers[gpu.sm ? "gpu.sm" : "gpu.share"] = slice.chunks > 0 ? open.chunks / slice.chunks : 1;
    return workers;
}

/// The clauses that are too much for so many workers each alone; all of them where they are it only together.
std::vector<std::string> full_clauses(const Draft& draft, const Gpus& gpus)
{
    std::map<std::string, std::uint64_t> workers;
    for (const auto& [gpu, open] : open_rooms(draft, gpus))
        for (const auto& [clause, count] : count_by_clause(draft, open, cut_slice(draft.contract, *gpu).value_or(Slice{})))
            workers[clause] += count;
    std::vector<std::string> full, all;
    for (const auto& [clause, count] : workers) {
        all.push_back(clause);
        if (count < draft.workers.size()) full.push_back(clause);
    }
    return full.empty() ? all : full;
}

void refuse_full_slices(Draft& draft, const std::string& clause)
{
    draft.refuse(Code::too_few_sms, clause,
                 format("Slurm granted {} slices to {} workers, too few for what each asks",
                        draft.question.allocation.sm_slices.size(), draft.workers.size()),
                 "ask for fewer SMs, or for more of gres/sm");
}

void refuse_full(Draft& draft, const Gpus& gpus, std::size_t seated)
{
    const bool sliced = !draft.question.allocation.sm_slices.empty();
    if (seated == 0 && !sliced) return; // the slice itself is refused already
    for (const std::string& clause : full_clauses(draft, gpus))
        if (sliced && (clause == "gpu.sm" || clause == "gpu.share"))
            refuse_full_slices(draft, clause);
        else
            draft.refuse(Code::too_many_workers, clause,
                         format("{} the {} GPU{}; {} are asked",
                                seated == 1 ? std::string("1 worker fills") : format("{} workers fill", seated), gpus.size(),
                                gpus.size() == 1 ? "" : "s", draft.workers.size()),
                         "use fewer tasks per node, or ask for less of a GPU");
}

} // namespace

const hal::Gpu* find_gpu(const hal::Machine& machine, const GpuName& name)
{
    if (const auto* short_address = std::get_if<ShortPciAddress>(&name)) {
        const auto devices = find_devices(machine, *short_address);
        return devices.size() == 1 ? find_gpu(machine, devices.front()) : nullptr;
    }
    const auto is_named = [&](const hal::Gpu& gpu) {
        const auto* index = std::get_if<unsigned>(&name);
        return index ? gpu.index == *index : gpu.pci == std::get<hal::PciAddress>(name);
    };
    const auto found = std::ranges::find_if(machine.gpus, is_named);
    return found == machine.gpus.end() ? nullptr : &*found;
}

bool has_failed(const Draft& draft, const hal::Gpu& gpu)
{
    const auto& lost = draft.question.allocation.lost_gpus;
    return std::ranges::find(lost, hal::to_string(gpu.pci)) != lost.end();
}

std::vector<const hal::Gpu*> offered_gpus(Draft& draft)
{
    Gpus gpus;
    const Allocation& allocation = draft.question.allocation;
    for (const unsigned index : allocation.gpus)
        if (const hal::Gpu* gpu = find_gpu(draft.machine, index)) gpus.push_back(gpu);
    for (const unsigned slice : allocation.gpus.empty() ? allocation.sm_slices : std::vector<unsigned>()) {
        const hal::Gpu* gpu = gpu_of_slice(draft.machine, slice);
        if (gpu && std::ranges::find(gpus, gpu) == gpus.end()) gpus.push_back(gpu);
    }
    if (allocation.gpus.empty() && allocation.sm_slices.empty())
        for (const hal::Gpu& gpu : draft.machine.gpus) gpus.push_back(&gpu);
    std::erase_if(gpus, [&draft](const hal::Gpu* gpu) { return has_failed(draft, *gpu); });
    return gpus;
}

void place_gpus(Draft& draft, const std::vector<const hal::Gpu*>& gpus)
{
    const Gpus fitting = follow_named_gpu(draft, gpus);
    Rooms rooms = open_rooms(draft, fitting);
    for (std::size_t worker = 0; worker < draft.workers.size(); ++worker) {
        const hal::Gpu* gpu = next_gpu(draft, fitting, rooms, worker);
        if (gpu == nullptr) return refuse_full(draft, fitting, worker);
        seat_worker(draft, rooms, worker, gpu);
    }
    for (Seat& seat : draft.seats)
        if (seat.gpu == nullptr) seat.gpu = draft.workers[seat.worker].gpu;
}

} // namespace mscale::contract
