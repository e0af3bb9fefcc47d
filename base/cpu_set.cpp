#include "base/cpu_set.hpp"

#include <algorithm>
#include <iterator>

#include <sched.h>

#include "base/handle.hpp"
#include "base/text.hpp"

namespace mscale {
namespace {

using Mask = Handle<cpu_set_t*, [](cpu_set_t* mask) { CPU_FREE(mask); }>;
const std::size_t mask_bytes = CPU_ALLOC_SIZE(CpuSet::limit);

Result<Mask> make_mask()
{
    Mask mask(CPU_ALLOC(CpuSet::limit));
    if (!mask) return os_failure(Code::apply_cores, "a CPU mask", errno);
    CPU_ZERO_S(mask_bytes, mask.pointer());
    return mask;
}

} // namespace

CpuSet::CpuSet(std::vector<unsigned> cpus) : cpus_(std::move(cpus))
{
    std::ranges::sort(cpus_);
    cpus_.erase(std::ranges::unique(cpus_).begin(), cpus_.end());
}

bool CpuSet::contains(unsigned cpu) const
{
    return std::ranges::binary_search(cpus_, cpu);
}

bool CpuSet::contains(const CpuSet& other) const
{
    return std::ranges::includes(cpus_, other.cpus_);
}

bool CpuSet::intersects(const CpuSet& other) const
{
    return !(*this & other).empty();
}

void CpuSet::insert(unsigned cpu)
{
    const auto at = std::ranges::lower_bound(cpus_, cpu);
    if (at == cpus_.end() || *at != cpu) cpus_.insert(at, cpu);
}

CpuSet CpuSet::operator|(const CpuSet& other) const
{
    CpuSet result;
    std::ranges::set_union(cpus_, other.cpus_, std::back_inserter(result.cpus_));
    return result;
}

CpuSet CpuSet::operator&(const CpuSet& other) const
{
    CpuSet result;
    std::ranges::set_intersection(cpus_, other.cpus_, std::back_inserter(result.cpus_));
    return result;
}

CpuSet CpuSet::operator-(const CpuSet& other) const
{
    CpuSet result;
    std::ranges::set_difference(cpus_, other.cpus_, std::back_inserter(result.cpus_));
    return result;
}

Result<CpuSet> read_affinity(int pid)
{
    auto mask = make_mask();
    if (!mask) return tl::unexpected(mask.error());
    if (sched_getaffinity(pid, mask_bytes, mask->pointer()) != 0)
        return os_failure(Code::apply_cores, format("the affinity of process {}", pid), errno);
    std::vector<unsigned> cpus;
    for (unsigned cpu = 0; cpu < CpuSet::limit; ++cpu)
        if (CPU_ISSET_S(cpu, mask_bytes, mask->pointer())) cpus.push_back(cpu);
    return CpuSet(std::move(cpus));
}

Result<void> bind_affinity(int pid, const CpuSet& set)
{
    auto mask = make_mask();
    if (!mask) return tl::unexpected(mask.error());
    for (const unsigned cpu : set.cpus()) {
        if (cpu >= CpuSet::limit)
            return failure(Code::no_such_cpu, format("CPU {} is beyond {}", cpu, CpuSet::limit));
        CPU_SET_S(cpu, mask_bytes, mask->pointer());
    }
    if (sched_setaffinity(pid, mask_bytes, mask->pointer()) != 0)
        return os_failure(Code::apply_cores, format("binding process {} to CPUs {}", pid, to_string(set)),
                          errno);
    const auto found = read_affinity(pid);
    if (!found) return tl::unexpected(found.error());
    if (*found == set) return {};
    return failure(Code::apply_cores, format("process {} was to be bound to CPUs {}, the kernel gave {}", pid,
                                             to_string(set), to_string(*found)));
}

} // namespace mscale
