#include "contract/core_pool.hpp"

#include <algorithm>

namespace mscale::contract {
namespace {

bool lies_within(const CpuSet& core, const CpuSet* within)
{
    return within == nullptr ||
           std::ranges::all_of(core.cpus(), [&](unsigned cpu) { return within->contains(cpu); });
}

bool touches(const CpuSet& core, const CpuSet& cpus)
{
    return std::ranges::any_of(core.cpus(), [&](unsigned cpu) { return cpus.contains(cpu); });
}

} // namespace

CorePool::CorePool(const hal::Machine& machine, const CpuSet& usable)
{
    for (const hal::Core& core : machine.cores) {
        CpuSet cpus;
        for (const unsigned cpu : core.cpus.cpus())
            if (usable.contains(cpu)) cpus.insert(cpu);
        if (!cpus.empty()) entries_.push_back({std::move(cpus)});
    }
}

std::optional<CpuSet> CorePool::take(std::size_t count, const CpuSet* within)
{
    std::vector<Entry*> chosen;
    for (Entry& entry : entries_) {
        if (chosen.size() == count) break;
        if (!entry.taken && lies_within(entry.cpus, within)) chosen.push_back(&entry);
    }
    if (chosen.size() < count) return std::nullopt;
    std::vector<unsigned> cpus;
    for (Entry* entry : chosen) {
        entry->taken = true;
        cpus.insert(cpus.end(), entry->cpus.cpus().begin(), entry->cpus.cpus().end());
    }
    return CpuSet(std::move(cpus));
}

void CorePool::reserve(const CpuSet& cpus)
{
    for (Entry& entry : entries_)
        if (touches(entry.cpus, cpus)) entry.taken = true;
}

CpuSet CorePool::collect(const CpuSet* within, bool with_taken) const
{
    std::vector<unsigned> cpus;
    for (const Entry& entry : entries_)
        if ((with_taken || !entry.taken) && lies_within(entry.cpus, within))
            cpus.insert(cpus.end(), entry.cpus.cpus().begin(), entry.cpus.cpus().end());
    return CpuSet(std::move(cpus));
}

std::size_t CorePool::count(const CpuSet* within, bool with_taken) const
{
    return static_cast<std::size_t>(std::ranges::count_if(entries_, [&](const Entry& entry) {
        return (with_taken || !entry.taken) && lies_within(entry.cpus, within);
    }));
}

CpuSet CorePool::free_cpus(const CpuSet* within) const
{
    return collect(within, false);
}

std::size_t CorePool::count_free(const CpuSet* within) const
{
    return count(within, false);
}

CpuSet CorePool::all_cpus(const CpuSet* within) const
{
    return collect(within, true);
}

std::size_t CorePool::count_all(const CpuSet* within) const
{
    return count(within, true);
}

CpuSet CorePool::taken_among(const CpuSet& cpus) const
{
    CpuSet taken;
    for (const Entry& entry : entries_)
        if (entry.taken && touches(entry.cpus, cpus)) taken = taken | (entry.cpus & cpus);
    return taken;
}

CpuSet CorePool::whole_cores(const CpuSet& cpus) const
{
    CpuSet whole;
    for (const CpuSet& core : split_cores(cpus)) whole = whole | core;
    return whole;
}

std::vector<CpuSet> CorePool::split_cores(const CpuSet& cpus) const
{
    std::vector<CpuSet> cores;
    for (const Entry& entry : entries_)
        if (touches(entry.cpus, cpus)) cores.push_back(entry.cpus);
    return cores;
}

} // namespace mscale::contract
