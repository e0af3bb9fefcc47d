#include "hal/rdma.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "hal/locality.hpp"
#include "hal/sysfs.hpp"

namespace mscale::hal {
namespace {

constexpr const char* rdma_directory = "/sys/class/infiniband";

/// "4: ACTIVE" as "ACTIVE".
std::string word_of(std::string_view text)
{
    const std::size_t colon = text.find(':');
    return std::string(trim(colon == std::string_view::npos ? text : text.substr(colon + 1)));
}

/// "400 Gb/sec (4X NDR)" as 400; "2.5 Gb/sec" as 2.
unsigned rate_of(std::string_view text)
{
    const auto number = parse_number(text.substr(0, text.find_first_of(" .")));
    return number ? static_cast<unsigned>(*number) : 0;
}

bool is_empty_gid(const std::string& address)
{
    return address.find_first_not_of("0:") == std::string::npos;
}

/// The table has hundreds of unused entries, whose type can't be read or whose address is zero: both are left
/// out.
std::vector<Gid> read_gids(const Root& root, const std::string& port_path)
{
    std::vector<Gid> gids;
    for (const std::string& name : list_names(root, port_path + "/gids")) {
        const auto index = number_after(name, "");
        if (!index) continue;
        Gid gid{*index, read_text(root, port_path + "/gids/" + name), "", ""};
        if (is_empty_gid(gid.address)) continue;
        gid.type = read_text(root, port_path + "/gid_attrs/types/" + name);
        if (gid.type.empty()) continue;
        gid.netdev = read_text(root, port_path + "/gid_attrs/ndevs/" + name);
        gids.push_back(std::move(gid));
    }
    return gids;
}

/// Network devices by the PCI function they belong to.
std::multimap<PciAddress, std::string> read_netdevs(const Root& root)
{
    std::multimap<PciAddress, std::string> netdevs;
    for (const std::string& name : list_names(root, "/sys/class/net"))
        if (const auto pci = find_pci_address(root, "/sys/class/net/" + name + "/device"))
            netdevs.emplace(*pci, name);
    return netdevs;
}

RdmaPort read_port(const Root& root, const RdmaPort& device, unsigned number)
{
    const std::string path = format("{}/{}/ports/{}", rdma_directory, device.device, number);
    RdmaPort port = device;
    port.port = number;
    port.link_layer = read_text(root, path + "/link_layer");
    port.state = word_of(read_text(root, path + "/state"));
    port.phys_state = word_of(read_text(root, path + "/phys_state"));
    port.rate_gbps = rate_of(read_text(root, path + "/rate"));
    port.gids = read_gids(root, path);
    return port;
}

/// What all ports of a device have in common.
RdmaPort read_device(const Root& root, const std::string& name,
                     const std::multimap<PciAddress, std::string>& netdevs)
{
    RdmaPort device;
    device.device = name;
    const std::string path = format("{}/{}/device", rdma_directory, name);
    device.pci = find_pci_address(root, path);
    if (!device.pci) return device;
    device.locality = read_locality(root, path);
    const auto [first, last] = netdevs.equal_range(*device.pci);
    for (auto entry = first; entry != last; ++entry) device.netdevs.push_back(entry->second);
    return device;
}

} // namespace

std::vector<RdmaPort> read_rdma_ports(const Root& root)
{
    std::vector<RdmaPort> ports;
    const std::vector<std::string> names = list_names(root, rdma_directory);
    if (names.empty()) return ports;
    const std::multimap<PciAddress, std::string> netdevs = read_netdevs(root);
    for (const std::string& name : names) {
        const RdmaPort device = read_device(root, name, netdevs);
        for (const std::string& port : list_names(root, format("{}/{}/ports", rdma_directory, name)))
            if (const auto number = number_after(port, "")) ports.push_back(read_port(root, device, *number));
    }
    return ports;
}

} // namespace mscale::hal
