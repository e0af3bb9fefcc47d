// Values that name something: models, abilities, paths, devices.
#include <algorithm>

#include "base/text.hpp"
#include "contract/values.hpp"
#include "hal/disk_name.hpp"

namespace mscale::contract {
namespace {

constexpr std::size_t name_limit = 255; ///< NAME_MAX: no device or model has a longer name

bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_made_of(std::string_view text, std::string_view marks)
{
    const auto fits = [&](char c) {
        return is_letter_or_digit(c) || marks.find(c) != std::string_view::npos;
    };
    return !text.empty() && text.size() <= name_limit && std::ranges::all_of(text, fits);
}

tl::unexpected<Error> refuse_disk(std::string_view text, std::string_view why, std::string cure = {})
{
    return failure(Code::bad_device, format("disk '{}': {}", printable(text), why), std::move(cure));
}

Result<std::string> read_disk_link(std::string_view text)
{
    constexpr std::string_view directory = "/dev/disk/by-id/nvme-";
    if (!text.starts_with(directory) || !is_made_of(text.substr(directory.size()), "._-:"))
        return refuse_disk(text, "only NVMe links below /dev/disk/by-id are taken",
                           "write /dev/disk/by-id/nvme-eui.NUMBER");
    if (text.find("-part") != std::string_view::npos)
        return refuse_disk(text, "it is a partition, and limits hold for whole namespaces only",
                           format("write {}", text.substr(0, text.find("-part"))));
    return std::string(text);
}

Result<std::string> read_disk_name(std::string_view name, std::string_view text)
{
    switch (hal::classify_disk_name(name)) {
    case hal::DiskName::whole_namespace: return std::string(name);
    case hal::DiskName::partition:
        return refuse_disk(text, "it is a partition, and limits hold for whole namespaces only",
                           format("write {}", name.substr(0, name.rfind('p'))));
    case hal::DiskName::path_leg:
        return refuse_disk(text, "it is a hidden path of a multipath namespace",
                           "name the namespace, as in nvme0n1");
    case hal::DiskName::controller:
        return refuse_disk(text, "it is a controller and says no namespace", format("write {}n1", name));
    case hal::DiskName::generic:
        return refuse_disk(text, "it is the character device",
                           format("write {}", "nvme" + std::string(name.substr(2))));
    case hal::DiskName::other:
        return refuse_disk(text, "it isn't NVMe", "name an NVMe namespace, nvme or any");
    default:
        return refuse_disk(text, "it is no disk's name", "name a namespace such as nvme0n1, nvme or any");
    }
}

tl::unexpected<Error> refuse_path(std::string_view text, std::string_view why, std::string cure = {})
{
    return failure(Code::bad_path, format("path '{}' {}", printable(text), why), std::move(cure));
}

bool has_only_known_fields(std::string_view path)
{
    for (std::size_t at = path.find('%'); at != std::string_view::npos; at = path.find('%', at + 1))
        if (at + 1 == path.size() || (path[at + 1] != 'u' && path[at + 1] != 'j')) return false;
    return true;
}

} // namespace

Result<std::string> read_plain_name(std::string_view text)
{
    if (is_made_of(text, " ._-")) return std::string(text);
    return failure(Code::bad_name, format("'{}' is no name", printable(text)),
                   "names are made of letters, digits, '.', '_' and '-'");
}

Result<std::vector<std::string>> read_plain_names(std::string_view text)
{
    std::vector<std::string> names;
    for (const std::string_view item : split_list(text)) {
        auto name = read_plain_name(item);
        if (!name) return tl::unexpected(name.error());
        names.push_back(std::move(*name));
    }
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) return failure(Code::twice, format("'{}' stands twice in the list", *twice));
    return names;
}

Result<std::string> read_spill_path(std::string_view text)
{
    if (!text.starts_with('/')) return refuse_path(text, "isn't absolute");
    for (const std::string_view part : split(text, '/'))
        if (part == "..") return refuse_path(text, "holds '..'");
    const auto fits = [](char c) {
        return is_letter_or_digit(c) || std::string_view("/._-+@=~%").find(c) != std::string_view::npos;
    };
    if (!std::ranges::all_of(text, fits))
        return refuse_path(text, "holds a byte other than letters, digits and ./_-+@=~%",
                           "give an absolute path of these bytes only");
    if (!has_only_known_fields(text))
        return refuse_path(text, "holds a '%' that is neither %u (user) nor %j (job)", "write %u, %j or no '%'");
    return std::string(text);
}

Result<std::string> read_disk(std::string_view text)
{
    if (text == "nvme" || text == "any") return std::string(text);
    if (text.starts_with("/dev/disk/")) return read_disk_link(text);
    return read_disk_name(text.starts_with("/dev/") ? text.substr(5) : text, text);
}

Result<std::string> read_rdma_port(std::string_view text)
{
    const std::size_t colon = text.find(':');
    const std::string_view device = text.substr(0, colon);
    if (text.starts_with('='))
        return failure(Code::bad_device,
                       format("RDMA port '{}': names are exact as they stand", printable(text)),
                       format("write {}", printable(text.substr(1))));
    if (!is_made_of(device, "_-."))
        return failure(Code::bad_device, format("RDMA port '{}': '{}' is no device's name", printable(text),
                                                printable(device)));
    if (colon == std::string_view::npos) return format("{}:1", device);
    const auto port = read_count(text.substr(colon + 1), 1, 254);
    if (port) return format("{}:{}", device, *port);
    return failure(Code::bad_device, format("RDMA port '{}': ports are numbers from 1", printable(text)),
                   format("write {}:1", device));
}

Result<GpuName> read_gpu(std::string_view text)
{
    if (text.find_first_not_of("0123456789") == std::string_view::npos) {
        const auto index = read_count(text, 0, 1023);
        if (!index) return tl::unexpected(index.error());
        return GpuName(static_cast<unsigned>(*index));
    }
    bool domain_given = true;
    const auto address = hal::parse_pci_address(text, &domain_given);
    if (!address) return tl::unexpected(address.error());
    if (domain_given) return GpuName(*address);
    return GpuName(ShortPciAddress{address->bus, address->device, address->function});
}

std::string write_gpu(const GpuName& gpu)
{
    if (const auto* index = std::get_if<unsigned>(&gpu)) return std::to_string(*index);
    if (const auto* device = std::get_if<ShortPciAddress>(&gpu))
        return format("{:02x}:{:02x}.{:x}", device->bus, device->device, device->function);
    return to_string(std::get<hal::PciAddress>(gpu));
}

Result<std::string> read_pcie_domain(std::string_view text)
{
    if (text == "gpu") return std::string(text);
    const auto root = hal::parse_pci_address(std::string(text) + ":00.0");
    if (root) return format("{:04x}:{:02x}", root->domain, root->bus);
    return failure(Code::bad_pci,
                   format("PCIe domain '{}' isn't domain:bus of a root complex", printable(text)),
                   "write it as in 0000:81, or gpu for the domain of the worker's GPU");
}

} // namespace mscale::contract
