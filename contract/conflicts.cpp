#include "contract/conflicts.hpp"

#include "base/text.hpp"

namespace mscale::contract {
namespace {

using Conflicts = std::vector<Conflict>;

void add_conflict(Conflicts& conflicts, std::string clause, std::string text, std::string cure)
{
    conflicts.push_back(
        {std::move(clause), failure(Code::conflict, std::move(text), std::move(cure)).value(), {}});
}

void check_share(const Contract& contract, Conflicts& conflicts)
{
    if (contract.gpu.sm && contract.gpu.share)
        add_conflict(conflicts, "gpu.share",
                     format("gpu.share = {} and gpu.sm = {} say the same thing twice", *contract.gpu.share, *contract.gpu.sm),
                     "keep one of the two");
}

/// The same CPUs can't be each worker's own.
void check_scope(const Contract& contract, Conflicts& conflicts)
{
    if (contract.workers.value_or(1) == 1 || contract.per_node.value_or(false)) return;
    for (const auto& [name, role] : contract.roles)
        if (set_of(role))
            add_conflict(conflicts, format("role.{}.cores", name),
                         format("role.{}.cores names CPUs of the node, but each of {} workers would need its own", name,
                                *contract.workers),
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
            add_conflict(conflicts, format("role.{}.cores", name),
                         format("CPUs {} belong to another role already", to_string(both)), "give each role its own CPUs");
        taken = taken | *set;
    }
}

/// A clause that says how something is had, without any of those that say what; `example` is a value of the first of them.
void add_lone(Conflicts& conflicts, const std::string& clause, const std::vector<std::string>& bases, const char* example)
{
    conflicts.push_back({clause,
                         failure(Code::lone_clause, format("{} has nothing to hold on without {}", clause, join(bases, " or ")),
                                 format("add {}={}, or leave {} out", bases.front(), example, clause))
                             .value(),
                         bases});
}

/// A key of a role, whether it is given, and whether it lacks its base.
struct RoleKey {
    const char* key;
    bool is_given, is_lone;
};

void check_lone_role_clauses(const std::string& name, const Role& role, Conflicts& conflicts)
{
    const bool no_disk = !needs_disk(role), no_cores = !role.cores;
    const RoleKey of_disk[] = {
        {"io_depth", role.io_depth.has_value(), no_disk},     {"disk_queues", role.disk_queues.has_value(), no_disk},
        {"read_limit", role.read_limit.has_value(), no_disk}, {"write_limit", role.write_limit.has_value(), no_disk},
        {"io_weight", role.io_weight.has_value(), no_disk},   {"write_cache", role.write_cache.has_value(), no_disk},
    };
    const RoleKey of_cores[] = {
        {"disk_queues", role.disk_queues.has_value(), no_cores},
        {"frequency", role.frequency.has_value(), no_cores},
    };
    const auto clause = [&](const char* key) { return format("role.{}.{}", name, key); };
    for (const RoleKey& row : of_disk)
        if (row.is_given && row.is_lone) add_lone(conflicts, clause(row.key), {clause("disk")}, "nvme");
    for (const RoleKey& row : of_cores)
        if (row.is_given && row.is_lone) add_lone(conflicts, clause(row.key), {clause("cores")}, "N");
}

void check_lone_clauses(const Contract& contract, Conflicts& conflicts)
{
    const GpuClause& gpu = contract.gpu;
    if (gpu.sm_mode && !gpu.sm && !gpu.share) add_lone(conflicts, "gpu.sm_mode", {"gpu.sm", "gpu.share"}, "N");
    if (gpu.memory_mode && !gpu.memory) add_lone(conflicts, "gpu.memory_mode", {"gpu.memory"}, "SIZE");
    for (const auto& [name, role] : contract.roles) check_lone_role_clauses(name, role, conflicts);
    if (contract.ft.spill_every && !contract.ft.spill) add_lone(conflicts, "ft.spill_every", {"ft.spill"}, "DIRECTORY");
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
    check_lone_clauses(contract, conflicts);
    return conflicts;
}

} // namespace mscale::contract
