#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "contract/draft.hpp"
#include "contract/last_snapshot.hpp"
#include "contract/redundancy.hpp"

namespace mscale::contract {
namespace {

constexpr std::uint64_t slots = 2; ///< of each rank: the last committed snapshot and the one that is being saved

/// How many states lie on a node at least: those of its own ranks, and whole copies of as many others.  Coded parts are smaller
/// and counted when the job saves, so that only what never fits is refused here.
std::uint64_t count_held_states(const Ft& ft, std::uint64_t ranks)
{
    return slots * ranks * (1 + std::uint64_t{count_copies(ft)});
}

/// The greatest number where it is more.
std::uint64_t multiply(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

/// The memory of a machine, by what becomes of it.
struct Memory {
    std::uint64_t all = 0;    ///< 0: not told
    std::uint64_t pages = 0;  ///< that stand as huge pages: snapshots lie in ordinary ones
    std::uint64_t unused = 0; ///< free, or given back by the page cache; 0: not told
};

Memory sum_memory(const hal::Machine& machine)
{
    Memory sum;
    for (const hal::NumaNode& node : machine.numa) {
        sum.all += node.memory_bytes;
        sum.unused += node.free_bytes + node.cache_bytes;
        for (const hal::HugePagePool& pool : node.huge_pages) sum.pages += pool.total * pool.page_bytes;
    }
    return sum;
}

std::uint64_t subtract(std::uint64_t from, std::uint64_t what)
{
    return from - std::min(from, what);
}

std::string tell_grown(const Draft& draft)
{
    return draft.grown_bytes == 0 ? "" : format(", and the contract's huge pages take {} more", format_bytes(draft.grown_bytes));
}

void refuse_room(Draft& draft, std::uint64_t states, std::uint64_t limit, const std::string& whose)
{
    const std::size_t ranks = draft.workers.size();
    const std::uint64_t state = *draft.contract.ft.state;
    draft.refuse(Code::snapshot_room, "ft.state",
                 format("the snapshots of {} rank{} take {} on a node: {} times {}, with {} slots of each rank and the copies of "
                        "others; {}",
                        ranks, ranks == 1 ? "" : "s", format_bytes(multiply(states, state)), states, format_bytes(state), slots,
                        whose),
                 format("keep at most {} in each rank, or fewer copies, fewer ranks on a node, or fewer huge pages",
                        format_bytes(limit / states)));
}

/// A machine that doesn't tell its memory is judged by the site alone.
void verify_room(Draft& draft)
{
    const std::uint64_t states = count_held_states(draft.contract.ft, draft.workers.size());
    const std::uint64_t needed = multiply(states, *draft.contract.ft.state), allowed = draft.site.recovery_memory;
    const Memory memory = sum_memory(draft.machine);
    const std::uint64_t ordinary = subtract(memory.all, memory.pages + draft.grown_bytes);
    const std::uint64_t unused = subtract(memory.unused, draft.grown_bytes);
    if (allowed != 0 && needed > allowed)
        refuse_room(draft, states, allowed, format("the site allows {} ([recovery] memory)", format_bytes(allowed)));
    else if (memory.all != 0 && needed > ordinary)
        refuse_room(draft, states, ordinary,
                    format("the machine has {}, of which {} are huge pages{}", format_bytes(memory.all),
                           format_bytes(memory.pages), tell_grown(draft)));
    else if (draft.question.unstarted && memory.unused != 0 && needed > unused)
        refuse_room(draft, states, unused,
                    format("of the machine's {} {} are free or hold files only{}", format_bytes(memory.all),
                           format_bytes(memory.unused), tell_grown(draft)));
}

/// What no machine tells: the contract alone needs it of the job and of the partition.
void note_needs(Draft& draft)
{
    const Ft& ft = draft.contract.ft;
    const auto ranks = static_cast<unsigned>(draft.workers.size());
    if (ft.copies)
        draft.note(format("ft.copies: each copy lies on another node, so the job needs {} nodes", *ft.copies + 1));
    if (const CodingScheme scheme = coding_scheme_of(ft); scheme.members > 0)
        draft.note(format("ft.redundancy: the ranks of a group lie on {} nodes, so the job needs as many, its spares apart",
                          scheme.members));
    if (ft.spares.value_or(0) > 0)
        draft.note(format("ft.spares: {} node{} beside those that the job asks for, in a job with a batch script", *ft.spares,
                          *ft.spares == 1 ? "" : "s"));
    if (const auto last = estimate_last_snapshot(ft, ranks, draft.site.recovery_rate))
        draft.note(format("ft.state: {}; --signal, GraceTime and KillWait must leave as much", describe(*last)));
}

} // namespace

void verify_ft(Draft& draft)
{
    if (draft.contract.ft.state) verify_room(draft);
    note_needs(draft);
}

} // namespace mscale::contract
