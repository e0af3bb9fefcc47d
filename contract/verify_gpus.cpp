#include "contract/draft.hpp"

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "contract/device.hpp"
#include "contract/gpu_slice.hpp"
#include "contract/place_gpus.hpp"

namespace mscale::contract {
namespace {

using Gpus = std::vector<const hal::Gpu*>;

/// The clauses that need a GPU for each worker.
std::vector<std::string> gpu_needs(const Draft& draft)
{
    std::vector<std::string> needs;
    const GpuClause& gpu = draft.contract.gpu;
    if (gpu.model) needs.emplace_back("gpu.model");
    if (gpu.sm) needs.emplace_back("gpu.sm");
    if (gpu.share) needs.emplace_back("gpu.share");
    if (gpu.sm_mode) needs.emplace_back("gpu.sm_mode");
    if (gpu.memory) needs.emplace_back("gpu.memory");
    if (gpu.memory_mode) needs.emplace_back("gpu.memory_mode");
    if (gpu.fault_domain) needs.emplace_back("gpu.fault_domain");
    if (!gpu.needs.empty()) needs.emplace_back("gpu.needs");
    if (draft.contract.rdma.near_gpu) needs.emplace_back("rdma.port");
    for (const auto& [name, role] : draft.contract.roles) {
        if (role.gpu) continue;
        if (role.near && role.near->to == Near::To::gpu) needs.push_back(format("role.{}.near", name));
        if (role.pcie_domain) needs.push_back(format("role.{}.pcie_domain", name));
    }
    return needs;
}

std::string list_gpus(const Gpus& gpus)
{
    std::vector<std::string> names;
    for (const hal::Gpu* gpu : gpus) names.push_back(describe(*gpu));
    return names.empty() ? "none" : join(names, ", ");
}

std::string list_models(const Gpus& gpus)
{
    std::vector<std::string> models;
    for (const hal::Gpu* gpu : gpus)
        if (std::ranges::find(models, gpu->model) == models.end()) models.push_back(gpu->model);
    return join(models, ", ");
}

/// Keeps what `fits`; when nothing does, all of them stay so that the other clauses are judged as well.
bool keep_fitting(Gpus& gpus, const std::function<bool(const hal::Gpu&)>& fits)
{
    Gpus kept;
    std::ranges::copy_if(gpus, std::back_inserter(kept), [&](const hal::Gpu* gpu) { return fits(*gpu); });
    if (kept.empty()) return false;
    gpus = std::move(kept);
    return true;
}

void verify_model(Draft& draft, Gpus& gpus)
{
    const auto& model = draft.contract.gpu.model;
    if (!model || keep_fitting(gpus, [&](const hal::Gpu& gpu) { return is_model(gpu, *model); })) return;
    draft.refuse(Code::gpu_model, "gpu.model", format("the GPUs here are {}", list_models(gpus)),
                 "name a word of a model that is here");
}

void verify_memory(Draft& draft, Gpus& gpus)
{
    const auto& memory = draft.contract.gpu.memory;
    if (!memory || keep_fitting(gpus, [&](const hal::Gpu& gpu) { return gpu.memory_bytes >= *memory; }))
        return;
    const auto most = std::ranges::max(gpus, {}, &hal::Gpu::memory_bytes)->memory_bytes;
    draft.refuse(Code::missing_ability, "gpu.memory",
                 most == 0 ? "the memory of the GPUs is unknown"
                           : format("a GPU here has {}", format_bytes(most)),
                 most == 0 ? "leave the clause out" : format("ask for at most {}", format_bytes(most)));
}

void verify_needs(Draft& draft, Gpus& gpus)
{
    for (const std::string& need : draft.contract.gpu.needs) {
        if (keep_fitting(gpus,
                         [&](const hal::Gpu& gpu) { return std::ranges::count(gpu.abilities, need) > 0; }))
            continue;
        draft.refuse(Code::missing_ability, "gpu.needs",
                     format("no GPU here has {}; {}", need, describe_abilities(*gpus.front())),
                     format("leave {} out", need));
    }
}

void verify_sms(Draft& draft, Gpus& gpus)
{
    const auto fits = [&](const hal::Gpu& gpu) { return cut_slice(draft.contract, gpu).has_value(); };
    if (keep_fitting(gpus, fits)) return;
    const hal::Gpu& most = **std::ranges::max_element(gpus, {}, &hal::Gpu::sms);
    const std::string clause = draft.contract.gpu.sm ? "gpu.sm" : "gpu.share";
    if (most.sms == 0)
        draft.refuse(Code::too_few_sms, clause, format("the SMs of {} are unknown", describe(most)),
                     "leave the clause out, or read the machine where its driver is loaded");
    else
        draft.refuse(Code::too_few_sms, clause, describe_sms(most), format("ask for at most {}", most.sms));
}

void verify_fault_domain(Draft& draft, Gpus& gpus)
{
    if (draft.contract.gpu.fault_domain.value_or("shared") != "private") return;
    const auto holds_alone = [&](const hal::Gpu& gpu) {
        const auto slice = cut_slice(draft.contract, gpu);
        return gpu.mig || !slice || slice->sms == 0 || slice->sms == gpu.sms;
    };
    if (keep_fitting(gpus, holds_alone)) return;
    draft.refuse(Code::missing_ability, "gpu.fault_domain",
                 format("a fault in a slice of {} ends every process on it", describe(*gpus.front())),
                 format("ask for the whole GPU (sm = {}), or set fault_domain = shared", gpus.front()->sms));
}

/// "0000:1b:00.0, 0001:1b:00.0" when a short address names several devices; else "".
std::string list_ambiguous(const hal::Machine& machine, const GpuName& name)
{
    const auto* short_address = std::get_if<ShortPciAddress>(&name);
    if (short_address == nullptr) return "";
    std::vector<std::string> devices;
    for (const hal::PciAddress& device : find_devices(machine, *short_address))
        devices.push_back(hal::to_string(device));
    return devices.size() > 1 ? join(devices, ", ") : "";
}

/// A role's absolute GPU, with the GPU of one worker following it.
void verify_named_gpus(Draft& draft)
{
    for (Seat& seat : draft.seats) {
        if (!seat.role->gpu) continue;
        seat.gpu = find_gpu(draft.machine, *seat.role->gpu);
        if (seat.gpu && has_failed(draft, *seat.gpu)) {
            draft.refuse(Code::no_such_gpu, seat.clause("gpu"), format("{} has failed under this job", describe(*seat.gpu)),
                         "use another GPU, or leave the clause out");
            seat.gpu = nullptr;
            continue;
        }
        if (seat.gpu) continue;
        if (const std::string devices = list_ambiguous(draft.machine, *seat.role->gpu); !devices.empty()) {
            draft.refuse(Code::ambiguous_device, seat.clause("gpu"),
                         format("the devices here are: {}", devices), "write the address of one of these");
            continue;
        }
        Gpus all;
        for (const hal::Gpu& gpu : draft.machine.gpus) all.push_back(&gpu);
        draft.refuse(Code::no_such_gpu, seat.clause("gpu"), format("the GPUs here are: {}", list_gpus(all)),
                     "use an index or address of these, or leave the clause out");
    }
}

void refuse_without_gpu(Draft& draft)
{
    const auto& lost = draft.question.allocation.lost_gpus;
    const std::string reason = lost.empty() ? std::string("the machine has no GPU")
                                            : format("the job's GPUs here have failed: {}", join(lost, ", "));
    for (const std::string& clause : gpu_needs(draft))
        draft.refuse(Code::no_such_gpu, clause, reason,
                     "leave the clause out, or use nodes with GPUs");
}

} // namespace

void verify_gpus(Draft& draft)
{
    verify_named_gpus(draft);
    Gpus gpus = offered_gpus(draft);
    const bool needed = !gpu_needs(draft).empty();
    if (gpus.empty()) return refuse_without_gpu(draft);
    if (!needed && draft.question.allocation.gpus.empty() && draft.question.allocation.sm_slices.empty())
        return;
    verify_model(draft, gpus);
    verify_memory(draft, gpus);
    verify_needs(draft, gpus);
    verify_sms(draft, gpus);
    verify_fault_domain(draft, gpus);
    place_gpus(draft, gpus);
}

} // namespace mscale::contract
