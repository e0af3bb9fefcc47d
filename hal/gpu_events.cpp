#include "hal/gpu_events.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "hal/nvml_abi.hpp"

namespace mscale::hal {

/// All are older than any driver that is still in use.
struct GpuEvents::Functions {
    nvml::Return (*init)();
    nvml::Return (*shutdown)();
    nvml::Return (*count)(unsigned*);
    nvml::Return (*handle)(unsigned, nvml::Device*);
    nvml::Return (*pci)(nvml::Device, nvml::PciInfo*);
    nvml::Return (*memory)(nvml::Device, nvml::Memory*);
    nvml::Return (*create)(nvml::EventSet*);
    nvml::Return (*add)(nvml::Device, unsigned long long, nvml::EventSet);
    nvml::Return (*await)(nvml::EventSet, nvml::EventData*, unsigned);
    nvml::Return (*free)(nvml::EventSet);

    bool find_in(const NvmlLibrary& library)
    {
        return bind(library, "nvmlInit_v2", init) && bind(library, "nvmlShutdown", shutdown) &&
               bind(library, "nvmlDeviceGetCount_v2", count) &&
               bind(library, "nvmlDeviceGetHandleByIndex_v2", handle) &&
               bind(library, "nvmlDeviceGetPciInfo_v3", pci) &&
               bind(library, "nvmlDeviceGetMemoryInfo", memory) &&
               bind(library, "nvmlEventSetCreate", create) &&
               bind(library, "nvmlDeviceRegisterEvents", add) &&
               bind(library, "nvmlEventSetWait_v2", await) && bind(library, "nvmlEventSetFree", free);
    }
};

bool is_fatal_xid(unsigned long long xid)
{
    constexpr std::array<unsigned long long, 16> fatal = {46,  48,  62,  64,  79,  95,  109, 110,
                                                          119, 120, 136, 140, 143, 151, 155, 158};
    return std::ranges::find(fatal, xid) != fatal.end();
}

GpuEvents::GpuEvents(NvmlLibrary library, const Functions& nvml)
    : library_(std::move(library)), nvml_(std::make_unique<Functions>(nvml))
{
}

GpuEvents::GpuEvents(GpuEvents&& other) noexcept = default;

GpuEvents::~GpuEvents()
{
    if (!nvml_) return;
    if (events_) nvml_->free(events_);
    nvml_->shutdown();
}

Result<GpuEvents> GpuEvents::open(const std::string& path)
{
    auto library = open_nvml(path);
    if (!library) return tl::unexpected(library.error());
    Functions nvml{};
    if (!nvml.find_in(*library))
        return failure(Code::nvml, name_nvml(path) + " tells no events of GPUs");
    if (const nvml::Return status = nvml.init(); status != 0)
        return failure(Code::nvml, format("{}: nvmlInit fails with {}", name_nvml(path), status));
    GpuEvents events(std::move(*library), nvml);
    if (auto added = events.add_gpus(name_nvml(path)); !added) return tl::unexpected(added.error());
    return events;
}

Result<void> GpuEvents::add_gpus(const std::string& library)
{
    unsigned count = 0;
    if (nvml_->create(&events_) != 0 || nvml_->count(&count) != 0)
        return failure(Code::nvml, library + " gives no set of events");
    unsigned heard = 0;
    for (unsigned index = 0; index < count; ++index) heard += add_gpu(index) ? 1 : 0;
    if (heard > 0) return {}; // one that is lost already can't be listened to
    return failure(Code::nvml, format("{} tells no events of {} GPUs", library, count));
}

bool GpuEvents::add_gpu(unsigned index)
{
    nvml::Device device = nullptr;
    nvml::PciInfo info{};
    if (nvml_->handle(index, &device) != 0 || nvml_->pci(device, &info) != 0) return false;
    info.bus_id[sizeof info.bus_id - 1] = '\0';
    const auto pci = parse_pci_address(info.bus_id);
    if (!pci || nvml_->add(device, nvml::xid_event, events_) != 0) return false;
    gpus_.push_back({device, *pci});
    return true;
}

std::vector<GpuFailure> GpuEvents::wait(std::chrono::milliseconds limit)
{
    std::vector<GpuFailure> failures;
    nvml::EventData event{};
    if (nvml_->await(events_, &event, static_cast<unsigned>(limit.count())) == 0) {
        const auto gpu = std::ranges::find(gpus_, event.device, &Watched::device);
        if (gpu != gpus_.end() && event.type == nvml::xid_event && is_fatal_xid(event.data))
            failures.push_back({gpu->pci, format("Xid {}", event.data)});
    }
    for (const Watched& gpu : gpus_) {
        nvml::Memory memory{};
        if (nvml_->memory(gpu.device, &memory) == nvml::gpu_is_lost) failures.push_back({gpu.pci, "off the bus"});
    }
    return failures;
}

} // namespace mscale::hal
