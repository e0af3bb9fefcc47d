#include "contract/conflicts.hpp"

#include "base/text.hpp"

namespace mscale::contract {
namespace {

using Conflicts = std::vector<Conflict>;

void add(Conflicts& conflicts, std::string clause, std::string text, std::string cure)
{
    conflicts.push_back(
        {std::move(clause), failure(Code::conflict, std::move(text), std::move(cure)).value()});
}

void check_share(const Contract& contract, Conflicts& conflicts)
{
    if (contract.gpu.sm && contract.gpu.share)
        add(conflicts, "gpu.share",
            format("gpu.share = {} and gpu.sm = {} say the same thing twice", *contract.gpu.share,
                   *contract.gpu.sm),
            "keep one of the two");
}

/// The same CPUs can't be each worker's own.
void check_scope(const Contract& contract, Conflicts& conflicts)
{
    if (contract.workers.value_or(1) == 1 || contract.per_node.value_or(false)) return;
    for (const auto& [name, role] : contract.roles)
        if (set_of(role))
            add(conflicts, format("role.{}.cores", name),
                format("role.{}.cores names CPUs of the node, but each of {} workers would need its own",
                       name, *contract.workers),
                "write a number of cores, or contract.per=node when the workers share them");
}

/// A role's cores are its own.
void check_overlap(const Contract& contract, Conflicts& conflicts)
{
    CpuSet taken;
    for (const auto& [name, role] : contract.roles) {
        const CpuSet* set = set_of(role);
        if (!set) continue;
        if (const CpuSet both = *set & taken; !both.empty())
            add(conflicts, format("role.{}.cores", name),
                format("CPUs {} belong to another role already", to_string(both)),
                "give each role its own CPUs");
        taken = taken | *set;
    }
}

void check_spill(const Contract& contract, Conflicts& conflicts)
{
    if (contract.ft.spill_every && !contract.ft.spill)
        add(conflicts, "ft.spill_every", format("ft.spill_every = {} says how often and not where to", *contract.ft.spill_every),
            "add ft.spill=DIRECTORY");
}

} // namespace

const CpuSet* set_of(const Role& role)
{
    return role.cores ? std::get_if<CpuSet>(&*role.cores) : nullptr;
}

std::vector<Conflict> find_conflicts(const Contract& contract)
{
    Conflicts conflicts;
    check_share(contract, conflicts);
    check_scope(contract, conflicts);
    check_overlap(contract, conflicts);
    check_spill(contract, conflicts);
    return conflicts;
}

} // namespace mscale::contract
