#include "contract/changes.hpp"

#include "contract/given.hpp"

namespace mscale::contract {
namespace {

/// What lets the clause stand as it is.
void add_companions(std::vector<Change>& changes, const Contract& contract, const Question& question, const Refusal& refusal,
                    const Effects& effect)
{
    const Change lenient{"contract.strict", "no"};
    if (contract.strict.value_or(true) && effect(lenient)) changes.push_back(lenient);
    if (refusal.code == Code::too_many_workers && refusal.read.starts_with('['))
        changes.push_back({"contract.per", "node"});
    if (refusal.code == Code::no_such_disk && refusal.clause.ends_with(".near"))
        for (const hal::Disk& disk : question.machine.disks)
            changes.push_back({refusal.clause.substr(0, refusal.clause.rfind('.')) + ".disk", disk.name});
}

void add_offers(std::vector<Change>& changes, const Case& c)
{
    for (std::string& value : offers_for(c)) changes.push_back({c.clause, std::move(value)});
}

/// The least that a clause can ask for: the tasks are the workers where none are given.
Change least_of(const std::string& clause)
{
    return {clause, clause == "contract.workers" ? std::optional<std::string>("1") : std::nullopt};
}

/// The clauses without which the refusal would not be: they hold what the refused one lacks.
std::vector<Given> find_rivals(const Contract& contract, const Refusal& refusal, const Effects& effect)
{
    std::vector<Given> rivals;
    for (Given& given : given_clauses(contract))
        if (given.name != refusal.clause && effect(least_of(given.name))) rivals.push_back(std::move(given));
    return rivals;
}

} // namespace

std::vector<Change> changes_for(const Contract& contract, const Question& question, const Refusal& refusal,
                                const Effects& effect)
{
    if (refusal.code == Code::not_enforceable) return {{refusal.clause, std::nullopt}};
    std::vector<Change> changes;
    add_companions(changes, contract, question, refusal, effect);
    add_offers(changes, {contract, question, refusal.clause, refusal.read, effect});
    const auto rivals = find_rivals(contract, refusal, effect);
    for (const Given& rival : rivals) add_offers(changes, {contract, question, rival.name, rival.value, effect});
    changes.push_back({refusal.clause, std::nullopt});
    for (const Given& rival : rivals) changes.push_back({rival.name, std::nullopt});
    return changes;
}

} // namespace mscale::contract
