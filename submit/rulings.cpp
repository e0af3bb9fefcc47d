#include "submit/rulings.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.hpp"
#include "contract/nearest_text.hpp"

namespace mscale::submit {

namespace {

constexpr const char* source = "--mscale-contract";

constexpr std::size_t longest_searched = 4 << 10; // its nearest contract isn't searched for: slurmctld waits

unsigned count_cpus_per_core(const hal::Machine& machine)
{
    std::size_t most = 1;
    for (const hal::Core& core : machine.cores) most = std::max(most, core.cpus.size());
    return static_cast<unsigned>(most);
}

/// The client reads `@file` as its user; what still names a file here came past the client.
ReadContract refuse_file(const std::string& text)
{
    ReadContract read;
    read.parsed.faults.push_back(
        {{Code::contract_file,
          format("{} names a file, and the controller opens no file for a user", printable(text)),
          "give the contract's own text in MSCALE_CONTRACT, or --mscale-contract=@FILE to sbatch, srun or "
          "salloc"},
         {source, 1, 1, text.size(), text}});
    return read;
}

ReadContract read_contract(const std::string& text, const contract::Profiles& profiles)
{
    if (text.starts_with('@')) return refuse_file(text);
    ReadContract read{contract::parse_contract(text, source, profiles), ""};
    if (read.parsed.ok()) read.canonical = contract::to_canonical(read.parsed.contract);
    return read;
}

contract::Question ask(const Shape& shape, const contract::Site& site, const hal::Machine& machine)
{
    contract::Question question{machine, site, {}, true, shape.has_script, true};
    question.allocation.tasks = shape.tasks_per_node;
    return question;
}

Ruling rule(const ReadContract& read, const Shape& shape, const contract::Site& site,
            const hal::Machine& machine)
{
    contract::Verdict verdict = contract::verify(read.parsed.contract, ask(shape, site, machine));
    Ruling ruling;
    ruling.refusals = std::move(verdict.refusals);
    ruling.unenforced = std::move(verdict.plan.unenforced);
    ruling.chunks_per_node = verdict.plan.chunks;
    ruling.cores_per_task = verdict.plan.cores_per_worker * read.parsed.contract.workers.value_or(1);
    ruling.cpus_per_core = count_cpus_per_core(machine);
    return ruling;
}

NearestText search_nearest(const ReadContract& read, const contract::Question& question,
                           std::chrono::milliseconds time)
{
    if (read.canonical.size() > longest_searched) return {"", "", true};
    const auto nearest = contract::nearest_contract_within(time, read.parsed.contract, question);
    if (!nearest.contract) return {"", "", nearest.cut_short};
    return {contract::to_canonical(*nearest.contract),
            contract::describe_changes(read.parsed.contract, *nearest.contract), false};
}

std::string key_of(const ReadContract& contract, const Shape& shape, const hal::MachineClass& machine_class)
{
    return format("{}|{}|{}|{}", machine_class.name, shape.tasks_per_node, shape.has_script,
                  contract.canonical);
}

} // namespace

template <class Value, class Make> std::shared_ptr<const Value>
Rulings::keep(std::map<std::string, std::shared_ptr<const Value>>& table, std::string key, Make make)
{
    const bool is_kept = key.size() <= longest_text;
    if (is_kept) {
        const std::lock_guard lock(mutex_);
        if (auto found = table.find(key); found != table.end()) return found->second;
    }
    auto value = std::make_shared<const Value>(make());
    if (is_kept) {
        const std::lock_guard lock(mutex_);
        if (table.size() >= most_entries) table.clear();
        table.emplace(std::move(key), value);
    }
    return value;
}

std::shared_ptr<const ReadContract> Rulings::read(const std::string& text, const contract::Profiles& profiles)
{
    return keep(contracts_, text, [&] { return read_contract(text, profiles); });
}

std::shared_ptr<const Result<Candidates>> Rulings::find_nodes(const JobRequest& job,
                                                              const hal::Inventory& inventory)
{
    if (!job.excluded_nodes.empty())
        return std::make_shared<const Result<Candidates>>(find_candidates(job, inventory));
    return keep(nodes_, join(job.partitions, ","), [&] { return find_candidates(job, inventory); });
}

std::shared_ptr<const Ruling> Rulings::judge(const ReadContract& contract, const Shape& shape,
                                             const contract::Site& site,
                                             const hal::MachineClass& machine_class)
{
    return keep(rulings_, key_of(contract, shape, machine_class),
                [&] { return rule(contract, shape, site, machine_class.machine); });
}

std::shared_ptr<const NearestText> Rulings::find_nearest(const ReadContract& contract, const Shape& shape,
                                                         const contract::Site& site,
                                                         const hal::MachineClass& machine_class)
{
    return keep(nearest_, key_of(contract, shape, machine_class), [&] {
        return search_nearest(contract, ask(shape, site, machine_class.machine), longest_search_);
    });
}

} // namespace mscale::submit
