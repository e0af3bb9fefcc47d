#include "hal/gpus.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "hal/gpu_models.hpp"
#include "hal/locality.hpp"
#include "hal/sysfs.hpp"

namespace mscale::hal {
namespace {

constexpr const char* procfs_directory = "/proc/driver/nvidia/gpus";
constexpr std::int64_t nvidia_vendor_id = 0x10de;

/// VGA and 3D controllers; NVSwitches and the audio function of a graphics card have other classes.
bool is_gpu(const Root& root, const std::string& device_path)
{
    if (read_integer(root, device_path + "/vendor") != nvidia_vendor_id) return false;
    const std::int64_t device_class = read_integer(root, device_path + "/class").value_or(0) >> 8;
    return device_class == 0x0300 || device_class == 0x0302;
}

std::vector<PciAddress> find_gpus(const Root& root)
{
    std::vector<PciAddress> found;
    for (const std::string& name : list_names(root, "/sys/bus/pci/devices"))
        if (const auto address = parse_pci_address(name); address && is_gpu(root, pci_device_path(*address)))
            found.push_back(*address);
    for (const std::string& name : list_names(root, procfs_directory))
        if (const auto address = parse_pci_address(name)) found.push_back(*address);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

/// The lines "Key: value" of /proc/driver/nvidia/gpus/ADDRESS/information.
std::map<std::string, std::string, std::less<>> read_information(const Root& root, const PciAddress& address)
{
    std::map<std::string, std::string, std::less<>> information;
    const std::string text =
        read_text(root, format("{}/{}/information", procfs_directory, to_string(address)));
    for (const std::string_view line : split(text, '\n')) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        information[std::string(trim(line.substr(0, colon)))] = trim(line.substr(colon + 1));
    }
    return information;
}

Gpu read_kernel_gpu(const Root& root, const PciAddress& address)
{
    Gpu gpu;
    gpu.pci = address;
    auto information = read_information(root, address);
    gpu.model = information["Model"];
    gpu.uuid = information["GPU UUID"];
    // Drivers show question marks to processes that may not open the device.
    if (gpu.uuid.find('?') != std::string::npos) gpu.uuid.clear();
    if (const auto minor = parse_number(information["Device Minor"]))
        gpu.minor = static_cast<unsigned>(*minor);
    if (gpu.model.empty()) {
        const auto device = read_integer(root, pci_device_path(address) + "/device").value_or(0);
        gpu.model = gpu_name_of(static_cast<std::uint16_t>(device));
    }
    gpu.locality = read_locality(root, pci_device_path(address));
    return gpu;
}

/// The node that NVML names, or the one that holds all CPUs it names when those are not simply all CPUs.
const NumaNode* node_by_nvml(const NvmlGpu& said, const Machine& machine)
{
    const bool tells_cpus = !said.cpus.empty() && !said.cpus.contains(machine.online);
    for (const NumaNode& node : machine.numa) {
        if (said.memory_node ? node.id == *said.memory_node : tells_cpus && node.cpus.contains(said.cpus))
            return &node;
    }
    return nullptr;
}

void complete_locality(const NvmlGpu& said, Machine& machine, Gpu& gpu)
{
    const NumaNode* node = node_by_nvml(said, machine);
    if (node == nullptr) return;
    if (!gpu.locality.numa) {
        gpu.locality.numa = node->id;
        gpu.locality.cpus = node->cpus;
        gpu.locality.source = "nvml";
        machine.notes.push_back(format("GPU {}: sysfs gives no NUMA node, NVML says node {}: NVML was taken",
                                       to_string(gpu.pci), node->id));
    } else if (*gpu.locality.numa != node->id) {
        machine.notes.push_back(format("GPU {}: sysfs says node {}, NVML node {}: sysfs was taken",
                                       to_string(gpu.pci), *gpu.locality.numa, node->id));
    }
}

Gpu merge_gpu(const NvmlGpu& said, const Gpu* known, Machine& machine)
{
    Gpu gpu = known != nullptr ? *known : Gpu{};
    gpu.index = said.index;
    gpu.pci = said.pci;
    if (said.minor) gpu.minor = said.minor;
    if (!said.uuid.empty()) gpu.uuid = said.uuid;
    if (!said.model.empty()) gpu.model = said.model;
    gpu.memory_bytes = said.memory_bytes;
    gpu.compute_capability = said.compute_capability;
    gpu.mig = said.mig;
    if (const unsigned cores = cores_per_sm(said.compute_capability); cores != 0 && said.cuda_cores != 0) {
        gpu.sms = said.cuda_cores / cores;
        gpu.sm_source = "nvml";
    }
    complete_locality(said, machine, gpu);
    return gpu;
}

void note_library(const NvmlReading& reading, Machine& machine)
{
    machine.notes.push_back(
        format("GPUs: NVML at {}, driver {}", reading.library, printable(reading.driver_version)));
    machine.notes.insert(machine.notes.end(), reading.faults.begin(), reading.faults.end());
}

} // namespace

std::vector<Gpu> read_kernel_gpus(const Root& root)
{
    std::vector<Gpu> gpus;
    for (const PciAddress& address : find_gpus(root)) {
        gpus.push_back(read_kernel_gpu(root, address));
        gpus.back().index = static_cast<unsigned>(gpus.size() - 1);
    }
    return gpus;
}

void merge_nvml(const NvmlReading& reading, Machine& machine)
{
    std::map<PciAddress, Gpu> by_address;
    for (Gpu& gpu : machine.gpus) by_address[gpu.pci] = std::move(gpu);
    machine.gpus.clear();
    note_library(reading, machine);
    for (const NvmlGpu& said : reading.gpus) {
        const auto known = by_address.find(said.pci);
        machine.gpus.push_back(
            merge_gpu(said, known == by_address.end() ? nullptr : &known->second, machine));
        if (known != by_address.end()) by_address.erase(known);
    }
    for (const auto& [address, gpu] : by_address)
        machine.notes.push_back(format("GPU {} ({}) was left out: the kernel shows it, NVML does not",
                                       to_string(address), gpu.model));
}

void read_gpus(const Root& root, const std::string& library, Machine& machine)
{
    machine.gpus = read_kernel_gpus(root);
    const bool has_driver = root.is_this_system() && root.exists("/proc/driver/nvidia/version");
    if (has_driver || !library.empty()) {
        const Result<NvmlReading> reading = read_nvml(library);
        if (reading)
            merge_nvml(*reading, machine);
        else
            machine.notes.push_back(reading.error().text + ": GPUs come from sysfs and procfs");
    }
    for (Gpu& gpu : machine.gpus) complete_gpu(gpu);
}

} // namespace mscale::hal
