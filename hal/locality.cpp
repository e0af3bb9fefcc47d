#include "hal/locality.hpp"

#include "base/text.hpp"
#include "hal/sysfs.hpp"

namespace mscale::hal {

Locality read_locality(const Root& root, const std::string& device_path)
{
    Locality locality;
    if (const Result<std::string> resolved = root.resolve(device_path)) read_pci_path(*resolved, locality);
    const std::optional<unsigned> node = read_unsigned(root, device_path + "/numa_node");
    if (!node) return locality;
    locality.numa = node;
    locality.cpus = read_cpus(root, device_path + "/local_cpulist");
    locality.source = "sysfs";
    return locality;
}

std::optional<PciAddress> find_pci_address(const Root& root, const std::string& path)
{
    const Result<std::string> resolved = root.resolve(path);
    if (!resolved) return {};
    std::optional<PciAddress> innermost;
    for (const std::string_view part : split(*resolved, '/'))
        if (const Result<PciAddress> address = parse_pci_address(part)) innermost = *address;
    return innermost;
}

std::string pci_device_path(const PciAddress& address)
{
    return "/sys/bus/pci/devices/" + to_string(address);
}

void read_pci_path(std::string_view resolved, Locality& locality)
{
    for (const std::string_view part : split(resolved, '/')) {
        // Behind a VMD the path holds a second root, pci10000:00: the first one is the hardware's.
        if (locality.pci_root.empty() && part.starts_with("pci") && part.find(':') != std::string_view::npos)
            locality.pci_root = part.substr(3);
        else if (const Result<PciAddress> address = parse_pci_address(part);
                 address && !locality.pci_root.empty())
            locality.bridges.push_back(*address);
    }
    if (!locality.bridges.empty()) locality.bridges.pop_back(); // the device itself
}

} // namespace mscale::hal
