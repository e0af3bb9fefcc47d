#include "hal/huge_pages.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "hal/sysfs.hpp"

namespace mscale::hal {
namespace {

constexpr const char* global_directory = "/sys/kernel/mm/hugepages";

/// "hugepages-2048kB": 2 MiB.
std::optional<std::uint64_t> page_bytes_of(std::string_view name)
{
    if (!name.ends_with("kB")) return {};
    const std::optional<unsigned> kibibytes = number_after(name.substr(0, name.size() - 2), "hugepages-");
    if (!kibibytes || *kibibytes < 4) return {};
    return std::uint64_t{*kibibytes} << 10;
}

void subtract(NumaNode& node, std::uint64_t page_bytes, std::uint64_t reserved)
{
    for (HugePagePool& pool : node.huge_pages)
        if (pool.page_bytes == page_bytes) pool.free -= std::min(pool.free, reserved);
}

} // namespace

std::vector<HugePagePool> read_huge_pages(const Root& root, const std::string& directory)
{
    std::vector<HugePagePool> pools;
    for (const std::string& name : list_names(root, directory)) {
        const std::optional<std::uint64_t> page_bytes = page_bytes_of(name);
        if (!page_bytes) continue;
        const std::string path = directory + "/" + name;
        pools.push_back({*page_bytes, read_unsigned(root, path + "/nr_hugepages").value_or(0),
                         read_unsigned(root, path + "/free_hugepages").value_or(0),
                         read_unsigned(root, path + "/surplus_hugepages").value_or(0)});
    }
    std::sort(pools.begin(), pools.end());
    return pools;
}

void subtract_reserved_pages(const Root& root, Machine& machine)
{
    for (const std::string& name : list_names(root, global_directory)) {
        const std::string path = std::string(global_directory) + "/" + name + "/resv_hugepages";
        const unsigned reserved = read_unsigned(root, path).value_or(0);
        const std::optional<std::uint64_t> page_bytes = page_bytes_of(name);
        if (reserved == 0 || !page_bytes) continue;
        for (NumaNode& node : machine.numa) subtract(node, *page_bytes, reserved);
        if (machine.numa.size() > 1)
            machine.notes.push_back(
                format("{} reserved huge pages of {}: the kernel doesn't say on which node, so each "
                       "node counts them as taken",
                       reserved, format_bytes(*page_bytes)));
    }
}

} // namespace mscale::hal
