#include "contract/page_room.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace mscale::contract {

PageRoom::PageRoom(const hal::Machine& machine, bool grow)
{
    for (const hal::NumaNode& node : machine.numa) {
        memory_[node.id] = grow ? node.free_bytes - node.free_bytes / 8 : 0;
        for (const hal::HugePagePool& pool : node.huge_pages) free_[{pool.page_bytes, node.id}] = pool.free;
    }
}

std::uint64_t PageRoom::free_pages(const Pool& pool) const
{
    const auto found = free_.find(pool);
    return found == free_.end() ? 0 : found->second;
}

std::uint64_t PageRoom::growable(const Pool& pool) const
{
    const auto memory = memory_.find(pool.second);
    return memory == memory_.end() || pool.first == 0 ? 0 : memory->second / pool.first;
}

bool PageRoom::take(std::uint64_t page_bytes, std::uint64_t count, unsigned numa)
{
    const Pool pool{page_bytes, numa};
    const std::uint64_t from_free = std::min(count, free_pages(pool));
    const std::uint64_t from_memory = count - from_free;
    if (from_memory > growable(pool)) return false;
    if (from_free > 0) free_[pool] -= from_free;
    if (from_memory > 0) {
        memory_[numa] -= from_memory * page_bytes;
        grown_[pool] += from_memory;
    }
    taken_[pool] += count;
    return true;
}

std::uint64_t PageRoom::left(std::uint64_t page_bytes, unsigned numa) const
{
    return free_pages({page_bytes, numa}) + growable({page_bytes, numa});
}

std::uint64_t PageRoom::taken(std::uint64_t page_bytes, unsigned numa) const
{
    const auto found = taken_.find({page_bytes, numa});
    return found == taken_.end() ? 0 : found->second;
}

unsigned PageRoom::roomiest(std::uint64_t page_bytes) const
{
    const auto best =
        std::ranges::max_element(memory_, {}, [&](const auto& node) { return left(page_bytes, node.first); });
    return best == memory_.end() ? 0 : best->first;
}

std::string PageRoom::describe(std::uint64_t page_bytes, unsigned numa) const
{
    const Pool pool{page_bytes, numa};
    return format("{} free, {} more could grow", free_pages(pool), growable(pool));
}

std::vector<std::string> PageRoom::describe_growth() const
{
    std::vector<std::string> lines;
    for (const auto& [pool, pages] : grown_)
        lines.push_back(format("NUMA node {} grows by {} huge pages of {}", pool.second, pages,
                               format_bytes(pool.first)));
    return lines;
}

std::uint64_t PageRoom::grown_bytes() const
{
    std::uint64_t bytes = 0;
    for (const auto& [pool, pages] : grown_) bytes += pool.first * pages;
    return bytes;
}

std::vector<PagePlan> PageRoom::totals() const
{
    std::vector<PagePlan> totals;
    for (const auto& [pool, pages] : taken_) totals.push_back({pool.first, pages, pool.second});
    return totals;
}

} // namespace mscale::contract
