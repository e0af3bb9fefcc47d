#include "contract/draft.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/device.hpp"

namespace mscale::contract {
namespace {

std::optional<unsigned> count_of(const Role& role)
{
    const auto* count = role.cores ? std::get_if<unsigned>(&*role.cores) : nullptr;
    return count ? std::optional(*count) : std::nullopt;
}

bool asks_for_place(const Role& role)
{
    return role.cores || role.near;
}

/// Firmware of virtual machines sometimes cuts NUMA cells across SMT siblings; then no place near anything is
/// sure.
void verify_topology(Draft& draft)
{
    const auto broken = std::ranges::find_if(draft.machine.cores, &hal::Core::spans_nodes);
    if (broken == draft.machine.cores.end()) return;
    for (const auto& [name, role] : draft.contract.roles)
        if (asks_for_place(role))
            draft.doubt(
                Code::core_spans_nodes, format("role.{}.{}", name, role.cores ? "cores" : "near"),
                format("the SMT siblings {} of one core lie in two NUMA nodes", to_string(broken->cpus)),
                "have the machine's NUMA cells mended, or set contract.strict = no");
}

/// Of the NUMA nodes with enough free cores the one with the most; nothing when none has.
const CpuSet* roomiest_node(const Draft& draft, std::size_t count)
{
    const CpuSet* best = nullptr;
    std::size_t most = 0;
    for (const hal::NumaNode& node : draft.machine.numa) {
        const std::size_t free = draft.cores.count_free(&node.cpus);
        if (free < count || free <= most) continue;
        best = &node.cpus;
        most = free;
    }
    return best;
}

void refuse_shortage(Draft& draft, const Seat& seat, unsigned count)
{
    if (draft.is_refused(Code::too_few_cores, seat.clause("cores"))) return;
    const CpuSet* within = seat.domain.must() ? &seat.domain.cpus : nullptr;
    const std::string where =
        within ? format("near {} (NUMA node {})", seat.domain.name, seat.domain.numa.value_or(0))
        : draft.question.allocation.cpus ? std::string("in what Slurm granted")
                                         : std::string("on the machine");
    const std::string rest =
        format("worker {} of {} finds {} left of {}", seat.worker + 1, draft.workers.size(),
               describe_cores(draft.cores.count_free(within), draft.cores.free_cpus(within)),
               describe_cores(draft.cores.count_all(within), draft.cores.all_cpus(within)));
    draft.refuse(Code::too_few_cores, seat.clause("cores"),
                 format("{} core{} asked {}; {}", count, count == 1 ? "" : "s", where, rest),
                 "ask for fewer cores or workers");
}

/// The best place that is left: the domain, else one NUMA node, else several.
std::optional<CpuSet> find_cores(Draft& draft, const Seat& seat, unsigned count)
{
    if (seat.domain.must()) return draft.cores.take(count, &seat.domain.cpus);
    if (seat.domain.force == Domain::Force::preferred)
        if (auto cpus = draft.cores.take(count, &seat.domain.cpus)) return cpus;
    if (const CpuSet* node = roomiest_node(draft, count)) return draft.cores.take(count, node);
    auto cpus = draft.cores.take(count, nullptr);
    if (cpus && draft.machine.numa.size() > 1)
        draft.warn(
            format("{}: CPUs {} lie in more than one NUMA node", seat.clause("cores"), to_string(*cpus)));
    return cpus;
}

/// Roles that are tied to a place choose before those that may lie anywhere.
void place_counts(Draft& draft)
{
    for (const bool tied : {true, false})
        for (Seat& seat : draft.seats) {
            const auto count = count_of(*seat.role);
            if (!count || seat.domain.must() != tied) continue;
            if (auto cpus = find_cores(draft, seat, *count))
                seat.cpus = std::move(*cpus);
            else
                refuse_shortage(draft, seat, *count);
        }
}

/// `near` without `cores`: anywhere near, on cores that no other role holds.
void place_uncounted(Draft& draft)
{
    for (Seat& seat : draft.seats) {
        if (seat.role->cores || !seat.domain.must() || !seat.role->near) continue;
        seat.cpus = draft.cores.free_cpus(&seat.domain.cpus);
        if (seat.cpus.empty())
            draft.refuse(Code::far_device, seat.clause("near"),
                         format("no free core is left near {} (NUMA node {})", seat.domain.name,
                                seat.domain.numa.value_or(0)),
                         "ask for a larger allocation, or leave the clause out");
    }
}

CpuSet role_cpus(const Draft& draft, std::size_t worker)
{
    CpuSet cpus;
    for (const Seat& seat : draft.seats)
        if (seat.worker == worker && seat.role->cores) cpus = cpus | seat.cpus;
    return cpus;
}

CpuSet take_near(CorePool& cores, std::size_t count, const CpuSet* near)
{
    CpuSet taken;
    for (std::size_t i = 0; i < count; ++i) {
        auto core = cores.take(1, near);
        if (!core) core = cores.take(1, nullptr);
        if (core) taken = taken | *core;
    }
    return taken;
}

/// What Slurm granted beyond the roles' cores goes to the tasks in even parts, near their GPUs where that is
/// possible. A contract without cores promises none, so Slurm's own binding stands.
void place_tasks(Draft& draft)
{
    const bool any_cores =
        std::ranges::any_of(draft.seats, [](const Seat& seat) { return seat.role->cores.has_value(); });
    if (!any_cores) return;
    const std::size_t workers = draft.workers.size();
    const std::size_t left = draft.question.allocation.cpus ? draft.cores.count_free() : 0;
    for (std::size_t i = 0; i < workers; ++i) {
        WorkerDraft& worker = draft.workers[i];
        const CpuSet* near = worker.gpu && worker.gpu->locality.numa ? &worker.gpu->locality.cpus : nullptr;
        worker.main = take_near(draft.cores, left / workers + (i < left % workers ? 1 : 0), near);
        if (worker.main.empty()) worker.main = role_cpus(draft, i);
    }
}

} // namespace

void verify_cores(Draft& draft)
{
    verify_topology(draft);
    place_counts(draft);
    place_uncounted(draft);
    place_tasks(draft);
}

} // namespace mscale::contract
