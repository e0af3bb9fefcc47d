// An NVML that tells what a file says: the functions that hal/nvml.cpp and hal/gpu_events.cpp call, inventory and failures.  It
// is found by path ([gpu] nvml_library in mscale.conf), never linked, and its driver version says that it is a double.

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "hal/nvml_abi.hpp"
#include "tests/doubles/nvml/description.hpp"

namespace {

using namespace mscale;
using hal::nvml::Device;
using hal::nvml::Return;

constexpr Return success = 0, uninitialized = 1, invalid_argument = 2, not_supported = 3, not_found = 6,
                 insufficient_size = 7, unknown = 999;

std::unique_ptr<doubles::Description> description;
unsigned users = 0;  // of the description: NVML counts who has called nvmlInit
std::mutex failures; // guards users, and xid and lost of each GPU: mscaled reads the inventory while it waits for events

/// $MSCALE_NVML_DOUBLE, or the file beside this library: libnvidia-ml-double.conf.
std::string description_path()
{
    if (const char* path = std::getenv("MSCALE_NVML_DOUBLE")) return path;
    Dl_info own{};
    if (::dladdr(reinterpret_cast<void*>(&description_path), &own) == 0) return {};
    const std::string library = own.dli_fname;
    return library.substr(0, library.rfind('.')) + ".conf";
}

/// Takes over what has failed since the file was read; the GPUs stay where they are, since handles lead to them.
void read_failures()
{
    const doubles::Description now = doubles::read_description(description_path());
    for (std::size_t i = 0; i < std::min(now.gpus.size(), description->gpus.size()); ++i) {
        description->gpus[i].xid = now.gpus[i].xid;
        description->gpus[i].lost = now.gpus[i].lost;
    }
}

bool is_lost(const doubles::Gpu& gpu)
{
    const std::scoped_lock lock(failures);
    return gpu.lost == "yes";
}

/// The Xids that a set of events has told already, by GPU.
struct Events {
    std::vector<std::string> told;
};

/// The next Xid that wasn't told, if there is one.
bool take_event(Events& events, hal::nvml::EventData& event)
{
    const std::scoped_lock lock(failures);
    read_failures();
    events.told.resize(description->gpus.size());
    for (std::size_t i = 0; i < events.told.size(); ++i) {
        doubles::Gpu& gpu = description->gpus[i];
        if (gpu.xid == events.told[i]) continue;
        events.told[i] = gpu.xid;
        if (gpu.xid.empty()) continue;
        event = {&gpu, hal::nvml::xid_event, std::stoull(gpu.xid), ~0U, ~0U};
        return true;
    }
    return false;
}

const doubles::Gpu& gpu_of(Device device)
{
    return *static_cast<const doubles::Gpu*>(device);
}

/// No exception may cross the C edge: whatever is wrong with the file is "unknown error" there and a line on
/// stderr here.
template <class Act> Return guard(Act act) noexcept
{
    try {
        return act();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "NVML double: %s\n", e.what());
        return unknown;
    }
}

Return copy_text(const std::string& text, char* into, unsigned size)
{
    if (text.empty()) return not_supported;
    if (text.size() >= size) return insufficient_size;
    std::memcpy(into, text.c_str(), text.size() + 1);
    return success;
}

Return copy_number(const std::string& text, unsigned* into)
{
    if (text.empty()) return not_supported;
    *into = static_cast<unsigned>(std::stoul(text));
    return success;
}

Return copy_bits(const std::string& list, unsigned words, unsigned long* into)
{
    if (list.empty()) return not_supported;
    constexpr unsigned bits = sizeof(unsigned long) * 8;
    std::memset(into, 0, words * sizeof(unsigned long));
    for (const unsigned number : doubles::read_list(list)) {
        if (number >= words * bits) return insufficient_size;
        into[number / bits] |= 1UL << (number % bits);
    }
    return success;
}

} // namespace

#define NVML_EXPORT extern "C" __attribute__((visibility("default")))

NVML_EXPORT Return nvmlInit_v2()
{
    return guard([] {
        const std::scoped_lock lock(failures);
        if (users == 0)
            description = std::make_unique<doubles::Description>(doubles::read_description(description_path()));
        else
            read_failures();
        ++users;
        return success;
    });
}

NVML_EXPORT Return nvmlShutdown()
{
    const std::scoped_lock lock(failures);
    if (users == 0) return uninitialized;
    if (--users == 0) description.reset();
    return success;
}

NVML_EXPORT const char* nvmlErrorString(Return status)
{
    switch (status) {
    case success: return "Success";
    case uninitialized: return "Uninitialized";
    case invalid_argument: return "Invalid Argument";
    case not_supported: return "Not Supported";
    case not_found: return "Not Found";
    case insufficient_size: return "Insufficient Size";
    default: return "Unknown Error";
    }
}

NVML_EXPORT Return nvmlSystemGetDriverVersion(char* version, unsigned length)
{
    if (!description) return uninitialized;
    return guard(
        [&] { return copy_text(description->driver + " (a double, no hardware)", version, length); });
}

NVML_EXPORT Return nvmlDeviceGetCount_v2(unsigned* count)
{
    if (!description) return uninitialized;
    *count = static_cast<unsigned>(description->gpus.size());
    return success;
}

NVML_EXPORT Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device)
{
    if (!description) return uninitialized;
    if (index >= description->gpus.size()) return invalid_argument;
    if (is_lost(description->gpus[index])) return hal::nvml::gpu_is_lost;
    *device = &description->gpus[index];
    return success;
}

NVML_EXPORT Return nvmlDeviceGetPciInfo_v3(Device device, hal::nvml::PciInfo* pci)
{
    const std::string& address = gpu_of(device).pci;
    if (address.size() >= sizeof pci->bus_id) return insufficient_size;
    *pci = {};
    std::memcpy(pci->bus_id, address.c_str(), address.size() + 1);
    return std::sscanf(address.c_str(), "%x:%x:%x", &pci->domain, &pci->bus, &pci->device) == 3 ? success
                                                                                                : unknown;
}

NVML_EXPORT Return nvmlDeviceGetName(Device device, char* name, unsigned length)
{
    return copy_text(gpu_of(device).name, name, length);
}

NVML_EXPORT Return nvmlDeviceGetUUID(Device device, char* uuid, unsigned length)
{
    return copy_text(gpu_of(device).uuid, uuid, length);
}

NVML_EXPORT Return nvmlDeviceGetMinorNumber(Device device, unsigned* minor)
{
    return guard([&] { return copy_number(gpu_of(device).minor, minor); });
}

NVML_EXPORT Return nvmlDeviceGetNumGpuCores(Device device, unsigned* cores)
{
    return guard([&] { return copy_number(gpu_of(device).cores, cores); });
}

NVML_EXPORT Return nvmlDeviceGetMemoryInfo(Device device, hal::nvml::Memory* memory)
{
    return guard([&] {
        if (is_lost(gpu_of(device))) return hal::nvml::gpu_is_lost;
        unsigned mebibytes = 0;
        const Return status = copy_number(gpu_of(device).memory_mib, &mebibytes);
        *memory = {std::uint64_t{mebibytes} << 20, std::uint64_t{mebibytes} << 20, 0};
        return status;
    });
}

NVML_EXPORT Return nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor)
{
    return std::sscanf(gpu_of(device).capability.c_str(), "%d.%d", major, minor) == 2 ? success
                                                                                      : not_supported;
}

NVML_EXPORT Return nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned* pending)
{
    if (gpu_of(device).mig.empty()) return not_supported;
    *current = *pending = gpu_of(device).mig == "yes" ? 1 : 0;
    return success;
}

NVML_EXPORT Return nvmlDeviceGetMemoryAffinity(Device device, unsigned words, unsigned long* nodes, unsigned)
{
    return guard([&] { return copy_bits(gpu_of(device).node, words, nodes); });
}

NVML_EXPORT Return nvmlDeviceGetCpuAffinity(Device device, unsigned words, unsigned long* cpus)
{
    return guard([&] { return copy_bits(gpu_of(device).cpus, words, cpus); });
}

NVML_EXPORT Return nvmlEventSetCreate(hal::nvml::EventSet* set)
{
    if (!description) return uninitialized;
    const std::scoped_lock lock(failures);
    auto events = std::make_unique<Events>();
    for (const doubles::Gpu& gpu : description->gpus) events->told.push_back(gpu.xid); // those of before are over
    *set = events.release();
    return success;
}

NVML_EXPORT Return nvmlDeviceRegisterEvents(Device device, unsigned long long types, hal::nvml::EventSet set)
{
    return device != nullptr && set != nullptr && types == hal::nvml::xid_event ? success : invalid_argument;
}

NVML_EXPORT Return nvmlEventSetWait_v2(hal::nvml::EventSet set, hal::nvml::EventData* event, unsigned limit_ms)
{
    if (!description) return uninitialized;
    return guard([&] {
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(limit_ms);
        do {
            if (take_event(*static_cast<Events*>(set), *event)) return success;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        } while (std::chrono::steady_clock::now() < until);
        return hal::nvml::timed_out;
    });
}

NVML_EXPORT Return nvmlEventSetFree(hal::nvml::EventSet set)
{
    delete static_cast<Events*>(set);
    return success;
}
