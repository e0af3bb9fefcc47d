#include "slicing/kernel_pool.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace mscale::slicing {
namespace {

Result<std::uint64_t> read_count(const Root& root, const std::string& path)
{
    const auto number = root.read_number(path);
    if (!number) return failure(Code::apply_hugepages, number.error().text);
    if (*number < 0) return failure(Code::apply_hugepages, format("{} holds {}", path, *number));
    return static_cast<std::uint64_t>(*number);
}

} // namespace

KernelPool::KernelPool(const Root& root, unsigned numa, std::uint64_t page_bytes)
    : root_(root), numa_(numa), page_bytes_(page_bytes)
{
}

std::string KernelPool::name() const
{
    return format("{} on NUMA node {}", format_bytes(page_bytes_), numa_);
}

std::string KernelPool::path(std::string_view file) const
{
    return format("/sys/devices/system/node/node{}/hugepages/hugepages-{}kB/{}", numa_, page_bytes_ >> 10,
                  file);
}

Result<PoolCounts> KernelPool::read() const
{
    const std::string everywhere = format("/sys/kernel/mm/hugepages/hugepages-{}kB/", page_bytes_ >> 10);
    const auto total = read_count(root_, path("nr_hugepages"));
    if (!total) return tl::unexpected(total.error());
    const auto surplus = read_count(root_, path("surplus_hugepages"));
    if (!surplus) return tl::unexpected(surplus.error());
    const auto free = read_count(root_, path("free_hugepages"));
    if (!free) return tl::unexpected(free.error());
    const auto free_everywhere = read_count(root_, everywhere + "free_hugepages");
    if (!free_everywhere) return tl::unexpected(free_everywhere.error());
    const auto reserved = read_count(root_, everywhere + "resv_hugepages");
    if (!reserved) return tl::unexpected(reserved.error());
    return PoolCounts{*total - std::min(*total, *surplus), *free, *free_everywhere, *reserved};
}

Result<std::uint64_t> KernelPool::resize(std::uint64_t count) const
{
    const auto written = write_control(root_.locate(path("nr_hugepages")), format("{}", count));
    if (!written) return failure(Code::apply_hugepages, written.error().text);
    return read().map([](const PoolCounts& counts) { return counts.persistent; });
}

Result<void> KernelPool::compact() const
{
    const auto written = write_control(root_.locate("/proc/sys/vm/compact_memory"), "1");
    if (!written) return failure(Code::apply_hugepages, written.error().text);
    return {};
}

} // namespace mscale::slicing
