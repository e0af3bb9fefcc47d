#include "contract/draft.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/given.hpp"

namespace mscale::contract {
namespace {

CpuSet usable_cpus(const Question& question)
{
    CpuSet usable = question.machine.online;
    if (question.site.isolated == Isolated::forbid) usable = usable - question.machine.isolated;
    return question.allocation.cpus ? usable & *question.allocation.cpus : usable;
}

void add_once(std::vector<std::string>& lines, std::string line)
{
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
}

} // namespace

std::size_t count_workers(const Contract& contract, const Question& question)
{
    const std::size_t asked = contract.workers.value_or(question.allocation.tasks);
    return std::clamp<std::size_t>(asked, 1, std::max<std::size_t>(question.machine.online.size(), 1));
}

std::string Seat::clause(std::string_view key) const
{
    return format("role.{}.{}", name, key);
}

Draft::Draft(const Contract& c, const Question& q)
    : contract(c), question(q), machine(q.machine), site(q.site), usable(usable_cpus(q)),
      cores(machine, usable), workers(count_workers(c, q))
{
    for (std::size_t worker = 0; worker < workers.size(); ++worker)
        for (const auto& [name, role] : contract.roles)
            seats.push_back({.name = name, .role = &role, .worker = worker});
}

bool Draft::is_refused(Code code, const std::string& clause) const
{
    return std::ranges::any_of(
        refusals, [&](const Refusal& other) { return other.code == code && other.clause == clause; });
}

void Draft::refuse(Code code, const std::string& clause, std::string reason, std::string hint)
{
    if (is_refused(code, clause)) return;
    refusals.push_back({code, clause, value_of(contract, clause), std::move(reason), std::move(hint)});
}

void Draft::doubt(Code code, const std::string& clause, const std::string& reason, std::string hint)
{
    if (strict())
        refuse(code, clause, reason, std::move(hint));
    else
        warn(format("{}: {}", clause, reason));
}

void Draft::warn(std::string text)
{
    add_once(warnings, std::move(text));
}

void Draft::note(std::string text)
{
    add_once(notes, std::move(text));
}

} // namespace mscale::contract
