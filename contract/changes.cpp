#include "contract/changes.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/core_pool.hpp"
#include "contract/device.hpp"
#include "contract/rails.hpp"

namespace mscale::contract {
namespace {

using Values = std::vector<std::string>;

/// What the offers are made from.
struct Case {
    const Contract& contract;
    const Question& question;
    const Refusal& refusal;
    const Accepts& accepts;
};

/// The greatest number below `asked` that the verdict takes for the clause, as "PREFIXnumberSUFFIX"; halves its way
/// there.
Values greatest_accepted(const Case& c, std::uint64_t asked, const std::string& prefix = "",
                         const std::string& suffix = "")
{
    const auto fits = [&](std::uint64_t n) {
        return c.accepts(c.refusal.clause, prefix + std::to_string(n) + suffix);
    };
    if (asked < 2 || !fits(1)) return {};
    std::uint64_t good = 1, bad = asked;
    while (bad - good > 1) {
        const std::uint64_t middle = good + (bad - good) / 2;
        (fits(middle) ? good : bad) = middle;
    }
    return {prefix + std::to_string(good) + suffix};
}

Values fewer(const Case& c)
{
    return greatest_accepted(c, parse_number(c.refusal.read).value_or(0));
}

/// A set becomes the whole cores of it that may be used, else as many cores as it names, else fewer.
Values offer_cores(const Case& c)
{
    if (!c.refusal.read.starts_with('[')) return fewer(c);
    const auto set = parse_cpu_list(c.refusal.read.substr(1, c.refusal.read.size() - 2));
    if (!set) return {};
    CpuSet usable = c.question.machine.online;
    if (c.question.site.isolated == Isolated::forbid) usable = usable - c.question.machine.isolated;
    if (c.question.allocation.cpus) usable = usable & *c.question.allocation.cpus;
    const CorePool cores(c.question.machine, usable);
    Values values;
    if (const CpuSet whole = cores.whole_cores(*set); !whole.empty())
        values.push_back(format("[{}]", to_string(whole)));
    const auto count = std::max<std::size_t>(cores.split_cores(*set).size(), 1);
    values.push_back(std::to_string(count));
    std::ranges::copy(greatest_accepted(c, count), std::back_inserter(values));
    return values;
}

Values offer_near(const Case& c)
{
    Values values = {"gpu", "disk", "nic"};
    for (const hal::NumaNode& node : c.question.machine.numa)
        if (!node.cpus.empty()) values.push_back(format("numa:{}", node.id));
    return values;
}

/// Fewer pages of the same size, or another size with as many bytes.
Values offer_pages(const Case& c)
{
    const auto parts = split(c.refusal.read, '*');
    const auto count = parts.size() == 2 ? parse_number(parts[1]) : std::nullopt;
    if (!count) return {};
    Values values = greatest_accepted(c, *count, format("{}*", parts[0]));
    const auto role = c.contract.roles.find(std::string(split(c.refusal.clause, '.')[1]));
    const auto& asked = role == c.contract.roles.end() ? c.contract.rdma.pool : role->second.hugepages;
    for (const std::uint64_t bytes : c.question.machine.kernel.huge_page_sizes)
        if (asked && asked->page_bytes != bytes && *count < (1ULL << 40) &&
            asked->page_bytes < (1ULL << 40) / *count)
            values.push_back(
                format("{}kB*{}", bytes / 1024, (asked->page_bytes * *count + bytes - 1) / bytes));
    return values;
}

Values offer_models(const Case& c)
{
    Values values;
    for (const hal::Gpu& gpu : c.question.machine.gpus)
        if (!std::ranges::count(values, model_word(gpu.model))) values.push_back(model_word(gpu.model));
    return values;
}

Values offer_memory(const Case& c)
{
    std::uint64_t most = 0;
    for (const hal::Gpu& gpu : c.question.machine.gpus) most = std::max(most, gpu.memory_bytes >> 30);
    const std::uint64_t asked = c.contract.gpu.memory.value_or(0) >> 30;
    return greatest_accepted(c, std::min(most, asked) + 1, "", "GiB");
}

/// In the greatest unit of which a whole number fits.
Values offer_state(const Case& c)
{
    const std::uint64_t asked = c.contract.ft.state.value_or(0);
    for (const auto& [bits, unit] : {std::pair(30, "GiB"), std::pair(20, "MiB"), std::pair(10, "KiB")})
        if (Values values = greatest_accepted(c, (asked >> bits) + 1, "", unit); !values.empty()) return values;
    return {};
}

/// Those of the wanted abilities that some GPU has.
Values offer_needs(const Case& c)
{
    std::vector<std::string> kept;
    for (const std::string& need : c.contract.gpu.needs)
        if (std::ranges::any_of(c.question.machine.gpus,
                                [&](const hal::Gpu& gpu) { return std::ranges::count(gpu.abilities, need) > 0; }))
            kept.push_back(need);
    return kept.empty() ? Values{} : Values{format("[{}]", join(kept, ","))};
}

Values offer_gpus(const Case& c)
{
    Values values;
    for (const hal::Gpu& gpu : c.question.machine.gpus) values.push_back(hal::to_string(gpu.pci));
    return values;
}

Values offer_domains(const Case& c)
{
    Values values = {"gpu"};
    for (const hal::Gpu& gpu : c.question.machine.gpus)
        if (!gpu.locality.pci_root.empty()) values.push_back(gpu.locality.pci_root);
    return values;
}

Values offer_ports(const Case& c)
{
    Values values;
    for (const hal::RdmaPort* port : active_rails(c.question.machine)) values.push_back(describe(*port));
    return values;
}

Values offer_rates(const Case& c)
{
    Values values;
    for (const hal::RdmaPort& port : c.question.machine.ports)
        values.push_back(format("{}Gb/s", port.rate_gbps));
    return values;
}

/// The offers of one clause, found by the last part of its name.
struct Offer {
    std::string_view clause;
    Values (*values)(const Case&);
};

constexpr Offer offers[] = {
    {"role.cores", offer_cores},
    {"role.near", offer_near},
    {"role.hugepages", offer_pages},
    {"rdma.pool", offer_pages},
    {"role.disk",
     [](const Case&) {
         return Values{"nvme", "any"};
     }},
    {"role.io_depth", fewer},
    {"role.disk_queues", fewer},
    {"role.gpu", offer_gpus},
    {"role.pcie_domain", offer_domains},
    {"gpu.model", offer_models},
    {"gpu.sm", fewer},
    {"gpu.share",
     [](const Case&) {
         return Values{"1/2", "1/4", "1/8"};
     }},
    {"gpu.memory", offer_memory},
    {"gpu.needs", offer_needs},
    {"gpu.fault_domain", [](const Case&) { return Values{"shared"}; }},
    {"rdma.port", offer_ports},
    {"rdma.rate_min", offer_rates},
    {"contract.workers", fewer},
    {"ft.state", offer_state},
    {"ft.spares", [](const Case&) { return Values{"0"}; }},
};

/// "role.loader.cores" -> "role.cores"
std::string table_name(const std::string& clause)
{
    return format("{}.{}", clause.substr(0, clause.find('.')), clause.substr(clause.rfind('.') + 1));
}

} // namespace

std::vector<Change> changes_for(const Contract& contract, const Question& question, const Refusal& refusal,
                                const Accepts& accepts)
{
    std::vector<Change> changes;
    if (refusal.code == Code::unknown_locality || refusal.code == Code::core_spans_nodes)
        changes.push_back({"contract.strict", "no"});
    if (refusal.code == Code::too_many_workers && refusal.read.starts_with('['))
        changes.push_back({"contract.per", "node"});
    const auto offer = std::ranges::find(offers, table_name(refusal.clause), &Offer::clause);
    const bool not_yet = refusal.code == Code::not_enforceable;
    if (offer != std::end(offers) && !not_yet)
        for (std::string& value : offer->values({contract, question, refusal, accepts}))
            if (value != refusal.read) changes.push_back({refusal.clause, std::move(value)});
    changes.push_back({refusal.clause, std::nullopt});
    return changes;
}

} // namespace mscale::contract
