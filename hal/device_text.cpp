#include "hal/device_text.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace mscale::hal {
namespace {

struct DeviceLine {
    std::string root, name, address, facts;
};

std::string address_text(const std::optional<PciAddress>& address)
{
    return address ? to_string(*address) : std::string();
}

std::string facts_of(const Gpu& gpu)
{
    constexpr std::string_view maker = "NVIDIA ";
    std::string facts = gpu.model.starts_with(maker) ? gpu.model.substr(maker.size()) : gpu.model;
    if (facts.empty()) facts = "unknown model";
    if (gpu.sms != 0) facts += format(", {} SMs", gpu.sms);
    if (gpu.mig) facts += ", MIG";
    return facts;
}

std::string facts_of(const RdmaPort& port)
{
    // As the kernel shortens it in the types of GIDs, so that a line fits two boxes side by side.
    std::string facts = port.link_layer == "InfiniBand" ? "IB" : port.link_layer;
    if (port.rate_gbps != 0) facts += format(" {} Gb/s", port.rate_gbps);
    return facts + " " + (port.state.empty() ? "state unknown" : port.state);
}

std::string facts_of(const Disk& disk)
{
    std::string facts = disk.kind == "nvme" ? "NVMe" : "disk";
    if (disk.queue_count != 0)
        facts += format(", {} queue{}", disk.queue_count, disk.queue_count == 1 ? "" : "s");
    if (disk.nr_requests != 0) facts += format(" × {}", disk.nr_requests);
    if (disk.zoned) facts += ", zoned";
    return facts;
}

std::vector<DeviceLine> list_devices(const Machine& machine, std::optional<unsigned> node)
{
    std::vector<DeviceLine> devices;
    const auto add = [&](const Locality& place, std::string name, std::string address, std::string facts) {
        if (place.numa == node)
            devices.push_back({place.pci_root, std::move(name), std::move(address), std::move(facts)});
    };
    for (const Gpu& gpu : machine.gpus)
        add(gpu.locality, format("GPU {}", gpu.index), to_string(gpu.pci), facts_of(gpu));
    for (const RdmaPort& port : machine.ports)
        add(port.locality, port.port == 1 ? port.device : format("{}:{}", port.device, port.port),
            address_text(port.pci), facts_of(port));
    for (const Disk& disk : machine.disks)
        add(disk.locality, disk.name, address_text(disk.pci), facts_of(disk));
    std::stable_sort(devices.begin(), devices.end(),
                     [](const DeviceLine& a, const DeviceLine& b) { return a.root < b.root; });
    return devices;
}

/// What joins a line to the root that stands before the first one of its group.
std::string branch_of(bool is_first, bool is_last)
{
    if (is_first) return is_last ? "─" : "┬";
    return is_last ? "└" : "├";
}

/// The widest of one member of all lines.
std::size_t widest(const std::vector<DeviceLine>& devices, std::string DeviceLine::*member)
{
    std::size_t width = 0;
    for (const DeviceLine& device : devices) width = std::max(width, display_width(device.*member));
    return width;
}

} // namespace

std::string round_bytes(std::uint64_t bytes)
{
    constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
    std::string number = format("{:.1f}", value);
    if (number.ends_with(".0")) number.resize(number.size() - 2);
    return number + " " + units[unit];
}

Lines draw_devices(const Machine& machine, std::optional<unsigned> node)
{
    const std::vector<DeviceLine> devices = list_devices(machine, node);
    const std::size_t root_width = widest(devices, &DeviceLine::root);
    const std::size_t name_width = widest(devices, &DeviceLine::name);
    const std::size_t address_width = widest(devices, &DeviceLine::address);
    Lines lines;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const bool is_first = i == 0 || devices[i - 1].root != devices[i].root;
        const bool is_last = i + 1 == devices.size() || devices[i + 1].root != devices[i].root;
        std::string line;
        if (root_width != 0)
            line =
                fit(is_first ? devices[i].root : "", root_width) + " " + branch_of(is_first, is_last) + " ";
        line += fit(devices[i].name, name_width) + " ";
        if (address_width != 0) line += fit(devices[i].address, address_width) + " ";
        lines.push_back(line + devices[i].facts);
    }
    return lines;
}

} // namespace mscale::hal
