#include "hal/nvml.hpp"

#include <dlfcn.h>
#include <link.h>

#include <array>

#include "base/text.hpp"
#include "hal/nvml_abi.hpp"
#include "hal/nvml_library.hpp"

namespace mscale::hal {
namespace {

/// The functions that are called; the optional ones came with later drivers and may be null.
struct Functions {
    nvml::Return (*init)();
    nvml::Return (*shutdown)();
    const char* (*error_string)(nvml::Return);
    nvml::Return (*driver_version)(char*, unsigned);
    nvml::Return (*count)(unsigned*);
    nvml::Return (*handle)(unsigned, nvml::Device*);
    nvml::Return (*pci)(nvml::Device, nvml::PciInfo*);
    nvml::Return (*name)(nvml::Device, char*, unsigned);
    nvml::Return (*uuid)(nvml::Device, char*, unsigned);
    nvml::Return (*minor)(nvml::Device, unsigned*);
    nvml::Return (*memory)(nvml::Device, nvml::Memory*);
    nvml::Return (*capability)(nvml::Device, int*, int*);
    nvml::Return (*cores)(nvml::Device, unsigned*);
    nvml::Return (*mig)(nvml::Device, unsigned*, unsigned*);
    nvml::Return (*memory_affinity)(nvml::Device, unsigned, unsigned long*, unsigned);
    nvml::Return (*cpu_affinity)(nvml::Device, unsigned, unsigned long*);
};

/// The name of the first function that every NVML has and this one lacks; "" when all are there.
std::string bind_required(const NvmlLibrary& library, Functions& nvml)
{
    if (!bind(library, "nvmlInit_v2", nvml.init)) return "nvmlInit_v2";
    if (!bind(library, "nvmlShutdown", nvml.shutdown)) return "nvmlShutdown";
    if (!bind(library, "nvmlErrorString", nvml.error_string)) return "nvmlErrorString";
    if (!bind(library, "nvmlSystemGetDriverVersion", nvml.driver_version))
        return "nvmlSystemGetDriverVersion";
    if (!bind(library, "nvmlDeviceGetCount_v2", nvml.count)) return "nvmlDeviceGetCount_v2";
    if (!bind(library, "nvmlDeviceGetHandleByIndex_v2", nvml.handle)) return "nvmlDeviceGetHandleByIndex_v2";
    if (!bind(library, "nvmlDeviceGetPciInfo_v3", nvml.pci)) return "nvmlDeviceGetPciInfo_v3";
    return {};
}

void bind_optional(const NvmlLibrary& library, Functions& nvml)
{
    bind(library, "nvmlDeviceGetName", nvml.name);
    bind(library, "nvmlDeviceGetUUID", nvml.uuid);
    bind(library, "nvmlDeviceGetMinorNumber", nvml.minor);
    bind(library, "nvmlDeviceGetMemoryInfo", nvml.memory);
    bind(library, "nvmlDeviceGetCudaComputeCapability", nvml.capability);
    bind(library, "nvmlDeviceGetNumGpuCores", nvml.cores);
    bind(library, "nvmlDeviceGetMigMode", nvml.mig);
    bind(library, "nvmlDeviceGetMemoryAffinity", nvml.memory_affinity);
    bind(library, "nvmlDeviceGetCpuAffinity", nvml.cpu_affinity);
}

/// Calls an optional function; false when it isn't there or answers anything but success.
template <class Function, class... Arguments> bool ask(Function function, Arguments... arguments)
{
    return function != nullptr && function(arguments...) == 0;
}

template <std::size_t words> CpuSet bits_of(const std::array<unsigned long, words>& mask)
{
    constexpr unsigned bits = sizeof(unsigned long) * 8;
    std::vector<unsigned> numbers;
    for (unsigned i = 0; i < words * bits; ++i)
        if ((mask[i / bits] >> (i % bits) & 1) != 0) numbers.push_back(i);
    return CpuSet(std::move(numbers));
}

void ask_texts(const Functions& nvml, nvml::Device device, NvmlGpu& gpu)
{
    std::array<char, nvml::name_size> name{};
    std::array<char, nvml::uuid_size> uuid{};
    int major = 0, minor = 0;
    if (ask(nvml.name, device, name.data(), unsigned{name.size() - 1})) gpu.model = name.data();
    if (ask(nvml.uuid, device, uuid.data(), unsigned{uuid.size() - 1})) gpu.uuid = uuid.data();
    if (ask(nvml.capability, device, &major, &minor)) gpu.compute_capability = format("{}.{}", major, minor);
}

void ask_numbers(const Functions& nvml, nvml::Device device, NvmlGpu& gpu)
{
    unsigned number = 0, mode = 0, pending = 0;
    nvml::Memory memory{};
    if (ask(nvml.minor, device, &number)) gpu.minor = number;
    if (ask(nvml.cores, device, &number)) gpu.cuda_cores = number;
    if (ask(nvml.memory, device, &memory)) gpu.memory_bytes = memory.total;
    if (ask(nvml.mig, device, &mode, &pending)) gpu.mig = mode == 1;
}

void ask_places(const Functions& nvml, nvml::Device device, NvmlGpu& gpu)
{
    constexpr unsigned node_words = 16; // 1024 nodes, the kernel's most
    constexpr unsigned cpu_words = CpuSet::limit / (8 * sizeof(unsigned long));
    std::array<unsigned long, node_words> nodes{};
    std::array<unsigned long, cpu_words> cpus{};
    if (ask(nvml.memory_affinity, device, node_words, nodes.data(), nvml::scope_node))
        if (const CpuSet set = bits_of(nodes); set.size() == 1) gpu.memory_node = set.cpus().front();
    if (ask(nvml.cpu_affinity, device, cpu_words, cpus.data())) gpu.cpus = bits_of(cpus);
}

Result<NvmlGpu> ask_gpu(const Functions& nvml, unsigned index)
{
    nvml::Device device = nullptr;
    nvml::PciInfo pci{};
    nvml::Return status = nvml.handle(index, &device);
    if (status == 0) status = nvml.pci(device, &pci);
    if (status != 0)
        return failure(Code::nvml,
                       format("GPU {} was left out: NVML says '{}'", index, nvml.error_string(status)));
    pci.bus_id[sizeof pci.bus_id - 1] = '\0';
    const Result<PciAddress> address = parse_pci_address(pci.bus_id);
    if (!address) return failure(Code::nvml, format("GPU {} was left out: {}", index, address.error().text));
    NvmlGpu gpu;
    gpu.index = index;
    gpu.pci = *address;
    ask_texts(nvml, device, gpu);
    ask_numbers(nvml, device, gpu);
    ask_places(nvml, device, gpu);
    return gpu;
}

void ask_gpus(const Functions& nvml, NvmlReading& reading)
{
    unsigned count = 0;
    if (nvml.count(&count) != 0) count = 0;
    for (unsigned i = 0; i < count; ++i) {
        Result<NvmlGpu> gpu = ask_gpu(nvml, i);
        if (gpu)
            reading.gpus.push_back(std::move(*gpu));
        else
            reading.faults.push_back(gpu.error().text);
    }
}

std::string path_of(const NvmlLibrary& library, const std::string& asked)
{
    link_map* map = nullptr;
    if (::dlinfo(library.pointer(), RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return asked;
    return map->l_name;
}

} // namespace

Result<NvmlReading> read_nvml(const std::string& library_path)
{
    const std::string asked = name_nvml(library_path);
    const auto library = open_nvml(library_path);
    if (!library) return tl::unexpected(library.error());
    Functions nvml{};
    const std::string missing = bind_required(*library, nvml);
    if (!missing.empty()) return failure(Code::nvml, format("{} has no function {}", asked, missing));
    bind_optional(*library, nvml);
    if (const nvml::Return status = nvml.init(); status != 0)
        return failure(Code::nvml, format("{}: nvmlInit says '{}'", asked, nvml.error_string(status)));
    NvmlReading reading;
    reading.library = path_of(*library, asked);
    std::array<char, nvml::version_size> version{};
    if (ask(nvml.driver_version, version.data(), unsigned{version.size() - 1}))
        reading.driver_version = version.data();
    ask_gpus(nvml, reading);
    nvml.shutdown();
    return reading;
}

} // namespace mscale::hal
