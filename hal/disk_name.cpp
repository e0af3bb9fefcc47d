#include "hal/disk_name.hpp"

#include <algorithm>
#include <string>

namespace mscale::hal {
namespace {

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// The name with every number as '#': "nvme10n1p2" is "nvme#n#p#".
std::string shape_of(std::string_view name)
{
    std::string shape;
    for (const char c : name) {
        if (!is_digit(c))
            shape += c;
        else if (shape.empty() || shape.back() != '#')
            shape += '#';
    }
    return shape;
}

bool is_other_disk(std::string_view name)
{
    const auto is_plain = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); };
    return !name.empty() && !name.starts_with("nvme") && std::all_of(name.begin(), name.end(), is_plain);
}

} // namespace

DiskName classify_disk_name(std::string_view name)
{
    if (name.starts_with("/dev/disk/by-") && name.find("/..") == std::string_view::npos)
        return DiskName::link;
    if (name.starts_with("/dev/")) name.remove_prefix(5);
    const std::string shape = shape_of(name);
    if (shape == "nvme#n#") return DiskName::whole_namespace;
    if (shape == "nvme#n#p#") return DiskName::partition;
    if (shape == "nvme#c#n#") return DiskName::path_leg;
    if (shape == "nvme#") return DiskName::controller;
    if (shape == "ng#n#") return DiskName::generic;
    return is_other_disk(name) ? DiskName::other : DiskName::bad;
}

} // namespace mscale::hal
