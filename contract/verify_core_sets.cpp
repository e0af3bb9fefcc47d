#include "contract/draft.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/conflicts.hpp"
#include "contract/device.hpp"

namespace mscale::contract {
namespace {

void verify_present(Draft& draft, const Seat& seat, const CpuSet& set)
{
    const CpuSet absent = set - draft.machine.online;
    if (absent.empty()) return;
    draft.refuse(Code::no_such_cpu, seat.clause("cores"),
                 format("CPUs {} are absent or offline; the machine has {}", to_string(absent),
                        to_string(draft.machine.online)),
                 "use CPUs that the machine has, or a count");
}

void verify_isolation(Draft& draft, const Seat& seat, const CpuSet& set)
{
    const CpuSet isolated = set & draft.machine.isolated;
    if (isolated.empty() || draft.site.isolated == Isolated::allow) return;
    draft.refuse(
        Code::isolated_cpu, seat.clause("cores"),
        format("CPUs {} are isolated from the scheduler, and the site doesn't give them to contracts",
               to_string(isolated)),
        "use other CPUs, or a count");
}

void verify_granted(Draft& draft, const Seat& seat, const CpuSet& set)
{
    if (!draft.question.allocation.cpus) return;
    const CpuSet outside = (set & draft.machine.online) - *draft.question.allocation.cpus;
    if (outside.empty()) return;
    draft.refuse(Code::outside_allocation, seat.clause("cores"),
                 format("CPUs {} aren't among those that Slurm granted: {}", to_string(outside),
                        to_string(*draft.question.allocation.cpus)),
                 "ask for a count instead of a set, or for the whole node with --exclusive");
}

void verify_siblings(Draft& draft, const Seat& seat, const CpuSet& set)
{
    const CpuSet whole = draft.cores.whole_cores(set);
    const CpuSet missing = whole - set;
    if (missing.empty()) return;
    draft.refuse(Code::cpu_without_siblings, seat.clause("cores"),
                 format("the set splits cores from their SMT siblings {}", to_string(missing)),
                 format("name whole cores: [{}], or a count: {} ({} CPUs)", to_string(whole),
                        draft.cores.split_cores(set).size(), whole.size()));
}

void verify_place(Draft& draft, const Seat& seat, const CpuSet& set)
{
    const Domain& domain = seat.domain;
    const CpuSet far = (set & draft.usable) - domain.cpus;
    if (domain.force == Domain::Force::none || far.empty()) return;
    const std::string fact =
        format("CPUs {} lie outside the domain of {}, NUMA node {} (CPUs {})", to_string(far), domain.name,
               domain.numa.value_or(0), to_string(domain.cpus));
    if (!domain.must()) return draft.warn(format("{}: {}", seat.clause("cores"), fact));
    draft.refuse(domain.force == Domain::Force::contract ? Code::far_device : Code::cross_domain,
                 seat.clause("cores"), fact,
                 format("use CPUs of {}, or a count", to_string(domain.cpus & draft.usable)));
}

void verify_overlap(Draft& draft, const Seat& seat, const CpuSet& set)
{
    const CpuSet taken = draft.cores.taken_among(set);
    if (taken.empty()) return;
    draft.refuse(Code::too_few_cores, seat.clause("cores"),
                 format("the cores of CPUs {} are held by another role", to_string(taken)),
                 "give each role cores of its own");
}

/// The part of worker `index` of `count`: neighbouring cores, numbers that differ by one at most.
CpuSet part_of(const std::vector<CpuSet>& cores, std::size_t index, std::size_t count)
{
    CpuSet part;
    for (std::size_t i = cores.size() * index / count; i < cores.size() * (index + 1) / count; ++i)
        part = part | cores[i];
    return part;
}

/// A set that holds for the node is shared out among its workers.
void share_out(Draft& draft, const Seat& first, const CpuSet& set)
{
    const auto cores = draft.cores.split_cores(set);
    if (cores.size() < draft.workers.size())
        draft.refuse(Code::too_few_cores, first.clause("cores"),
                     format("{} can't be shared out among {} workers", describe_cores(cores.size(), set),
                            draft.workers.size()),
                     format("name at least {} cores", draft.workers.size()));
    for (Seat& seat : draft.seats)
        if (seat.name == first.name) seat.cpus = part_of(cores, seat.worker, draft.workers.size()) & set;
}

void verify_set(Draft& draft, Seat& seat, const CpuSet& set)
{
    verify_present(draft, seat, set);
    verify_isolation(draft, seat, set);
    verify_granted(draft, seat, set);
    verify_siblings(draft, seat, set);
    verify_place(draft, seat, set);
    verify_overlap(draft, seat, set);
    draft.cores.reserve(set);
    if (draft.workers.size() > 1 && draft.contract.per_node.value_or(false))
        share_out(draft, seat, set);
    else
        seat.cpus = set & draft.usable;
}

} // namespace

/// Absolute sets are the same for every worker, so the first worker's seat is judged for all.
void verify_core_sets(Draft& draft)
{
    for (Seat& seat : draft.seats) {
        const CpuSet* set = set_of(*seat.role);
        if (set == nullptr || seat.worker > 0) continue;
        if (draft.workers.size() > 1 && !draft.contract.per_node.value_or(false))
            draft.refuse(Code::too_many_workers, seat.clause("cores"),
                         format("{} workers can't each hold the same CPUs", draft.workers.size()),
                         "give a count, or set contract.per = node to share the set out");
        verify_set(draft, seat, *set);
    }
}

} // namespace mscale::contract
