#include "contract/device.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/text.hpp"

namespace mscale::contract {
namespace {

std::string bus_of(const hal::PciAddress& address)
{
    return format("{:04x}:{:02x}", address.domain, address.bus);
}

/// Visits every device that has a PCI address, until `visit` returns true.
template <class Visit> void visit_devices(const hal::Machine& machine, Visit visit)
{
    for (const hal::Gpu& gpu : machine.gpus)
        if (visit(gpu.pci, gpu.locality)) return;
    for (const hal::Disk& disk : machine.disks)
        if (disk.pci && visit(*disk.pci, disk.locality)) return;
    for (const hal::RdmaPort& port : machine.ports)
        if (port.pci && visit(*port.pci, port.locality)) return;
}

} // namespace

std::string describe(const hal::Gpu& gpu)
{
    return format("GPU {} ({})", gpu.index, hal::to_string(gpu.pci));
}

std::string describe(const hal::Disk& disk)
{
    return disk.serial.empty() ? disk.name : format("{} (serial {})", disk.name, disk.serial);
}

std::string describe(const hal::RdmaPort& port)
{
    return format("{}:{}", port.device, port.port);
}

std::string describe_cores(std::size_t cores, const CpuSet& cpus)
{
    if (cores == 0) return "no whole core";
    return format("{} core{} ({} CPU{}: {})", cores, cores == 1 ? "" : "s", cpus.size(),
                  cpus.size() == 1 ? "" : "s", to_string(cpus));
}

std::string describe_place(const hal::Locality& locality)
{
    return locality.numa ? format("NUMA node {}", *locality.numa) : "an unknown place";
}

bool is_model(const hal::Gpu& gpu, std::string_view word)
{
    return lower_case(gpu.model).find(lower_case(word)) != std::string::npos;
}

std::string model_word(const std::string& model)
{
    const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    for (const std::string_view word : split(model, ' '))
        if (!word.empty() && !is_digit(static_cast<unsigned char>(word[0])) &&
            std::ranges::any_of(word, is_digit))
            return lower_case(word);
    return model;
}

std::vector<hal::PciAddress> find_devices(const hal::Machine& machine, const ShortPciAddress& address)
{
    std::set<hal::PciAddress> found;
    visit_devices(machine, [&](const hal::PciAddress& each, const hal::Locality&) {
        if (ShortPciAddress{each.bus, each.device, each.function} == address) found.insert(each);
        return false;
    });
    return {found.begin(), found.end()};
}

std::optional<std::string> find_pci_root(const hal::Machine& machine, std::string_view domain_and_bus)
{
    const std::string wanted = lower_case(domain_and_bus);
    std::optional<std::string> root;
    visit_devices(machine, [&](const hal::PciAddress& address, const hal::Locality& locality) {
        const auto on_bus = [&](const hal::PciAddress& each) { return bus_of(each) == wanted; };
        const bool found =
            locality.pci_root == wanted || on_bus(address) || std::ranges::any_of(locality.bridges, on_bus);
        if (found && !locality.pci_root.empty()) root = locality.pci_root;
        return root.has_value();
    });
    return root;
}

std::vector<hal::PciAddress> list_unrooted(const hal::Machine& machine)
{
    std::set<hal::PciAddress> found;
    visit_devices(machine, [&](const hal::PciAddress& address, const hal::Locality& locality) {
        if (locality.pci_root.empty()) found.insert(address);
        return false;
    });
    return {found.begin(), found.end()};
}

unsigned nearness(const hal::Locality& a, const hal::Locality& b)
{
    if (!a.numa || a.numa != b.numa) return 0;
    if (a.pci_root.empty() || a.pci_root != b.pci_root) return 1;
    const auto [mine, theirs] = std::ranges::mismatch(a.bridges, b.bridges);
    return 2 + static_cast<unsigned>(mine - a.bridges.begin());
}

} // namespace mscale::contract
