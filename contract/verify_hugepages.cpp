#include "contract/draft.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "contract/page_room.hpp"

namespace mscale::contract {
namespace {

std::string list_sizes(const hal::Machine& machine)
{
    std::vector<std::string> sizes;
    for (const std::uint64_t bytes : machine.kernel.huge_page_sizes) sizes.push_back(format_bytes(bytes));
    return sizes.empty() ? "none" : join(sizes, ", ");
}

bool verify_size(Draft& draft, const std::string& clause, std::uint64_t page_bytes)
{
    if (std::ranges::count(draft.machine.kernel.huge_page_sizes, page_bytes)) return true;
    draft.refuse(Code::huge_page_size, clause,
                 format("the kernel's huge page sizes are: {}", list_sizes(draft.machine)),
                 "use one of these sizes");
    return false;
}

/// The node of most of the CPUs.
std::optional<unsigned> node_of_cpus(const hal::Machine& machine, const CpuSet& cpus)
{
    const hal::NumaNode* best = nullptr;
    std::size_t most = 0;
    for (const hal::NumaNode& node : machine.numa) {
        const std::size_t here = (node.cpus & cpus).size();
        if (here <= most) continue;
        best = &node;
        most = here;
    }
    return best ? std::optional(best->id) : std::nullopt;
}

/// Pages lie where the role does; a role without a place has them near its GPU, else where there is the most
/// room.
unsigned place_of_pages(const Seat& seat, const Draft& draft, const PageRoom& room)
{
    if (seat.domain.must()) return *seat.domain.numa;
    if (const auto node = node_of_cpus(draft.machine, seat.cpus)) return *node;
    if (seat.domain.numa) return *seat.domain.numa;
    return room.roomiest(seat.role->hugepages->page_bytes);
}

void take_pages(Draft& draft, PageRoom& room, const std::string& clause, const HugePages& asked,
                unsigned numa)
{
    if (room.take(asked.page_bytes, asked.count, numa)) return;
    const std::uint64_t taken = room.taken(asked.page_bytes, numa);
    const std::string before = taken == 0 ? "" : format("{} that were asked before, ", taken);
    draft.refuse(Code::too_few_huge_pages, clause,
                 format("NUMA node {} can give {} pages of {} ({}{}); {}this needs {}", numa,
                        taken + room.left(asked.page_bytes, numa), format_bytes(asked.page_bytes), before,
                        room.describe(asked.page_bytes, numa),
                        taken == 0 ? "" : "with what is asked before, ", taken + asked.count),
                 format("ask for at most {} in all, or have more reserved on node {}",
                        taken + room.left(asked.page_bytes, numa), numa));
}

void place_role_pages(Draft& draft, PageRoom& room)
{
    for (Seat& seat : draft.seats) {
        if (!seat.role->hugepages ||
            !verify_size(draft, seat.clause("hugepages"), seat.role->hugepages->page_bytes))
            continue;
        seat.numa = place_of_pages(seat, draft, room);
        take_pages(draft, room, seat.clause("hugepages"), *seat.role->hugepages, *seat.numa);
    }
}

/// The pool of the node lies near its first port, else near the first worker's GPU, else where there is the
/// most room.
unsigned place_of_pool(const Draft& draft, const PageRoom& room, std::uint64_t page_bytes)
{
    const WorkerDraft& first = draft.workers.front();
    const hal::RdmaPort* port = draft.ports.empty() ? first.port : draft.ports.front();
    if (port && port->locality.numa) return *port->locality.numa;
    if (first.gpu && first.gpu->locality.numa) return *first.gpu->locality.numa;
    return room.roomiest(page_bytes);
}

void place_rdma_pool(Draft& draft, PageRoom& room)
{
    const auto& pool = draft.contract.rdma.pool;
    if (!pool || !verify_size(draft, "rdma.pool", pool->page_bytes)) return;
    take_pages(draft, room, "rdma.pool", *pool, place_of_pool(draft, room, pool->page_bytes));
}

} // namespace

void verify_hugepages(Draft& draft)
{
    PageRoom room(draft.machine, draft.site.grow);
    place_role_pages(draft, room);
    place_rdma_pool(draft, room);
    draft.pages = room.totals();
    draft.grown_bytes = room.grown_bytes();
    for (std::string& grown : room.describe_growth()) draft.note(std::move(grown));
    for (Seat& seat : draft.seats)
        if (!seat.numa)
            seat.numa = seat.domain.must() ? seat.domain.numa : node_of_cpus(draft.machine, seat.cpus);
}

} // namespace mscale::contract
