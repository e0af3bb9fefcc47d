#include "contract/offers.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/text.hpp"
#include "contract/core_pool.hpp"
#include "contract/device.hpp"
#include "contract/rails.hpp"

namespace mscale::contract {
namespace {

using Values = std::vector<std::string>;

/// The greatest number below `asked` that leaves so many refusals at most, halving its way there; 1 does.
std::uint64_t greatest_below(std::uint64_t asked, std::size_t refusals,
                             const std::function<std::optional<std::size_t>(std::uint64_t)>& effect)
{
    std::uint64_t good = 1, bad = asked;
    while (bad - good > 1) {
        const std::uint64_t middle = good + (bad - good) / 2;
        const auto left = effect(middle);
        (left && *left <= refusals ? good : bad) = middle;
    }
    return good;
}

/// As "PREFIXnumberSUFFIX": the greatest number below `asked` that takes nothing from other clauses, then the greatest that
/// the verdict takes for this one.
Values greatest_accepted(const Case& c, std::uint64_t asked, const std::string& prefix = "",
                         const std::string& suffix = "")
{
    const auto spell = [&](std::uint64_t n) { return prefix + std::to_string(n) + suffix; };
    const auto effect = [&](std::uint64_t n) { return c.effect({c.clause, spell(n)}); };
    const auto least = asked < 2 ? std::nullopt : effect(1);
    if (!least) return {};
    const std::uint64_t quiet = greatest_below(asked, *least, effect);
    const std::uint64_t most = greatest_below(asked, std::numeric_limits<std::size_t>::max(), effect);
    return most == quiet ? Values{spell(quiet)} : Values{spell(quiet), spell(most)};
}

Values fewer(const Case& c)
{
    return greatest_accepted(c, parse_number(c.read).value_or(0));
}

/// Fewer; last, one: other roles may have to give way as well before this one has any.
Values offer_count(const Case& c)
{
    Values values = fewer(c);
    if (!std::ranges::count(values, "1")) values.emplace_back("1");
    return values;
}

/// A set becomes the whole cores of it that may be used, else as many cores as it names, else fewer.
Values offer_cores(const Case& c)
{
    if (!c.read.starts_with('[')) return offer_count(c);
    const auto set = parse_cpu_list(c.read.substr(1, c.read.size() - 2));
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
    const auto parts = split(c.read, '*');
    const auto count = parts.size() == 2 ? parse_number(parts[1]) : std::nullopt;
    if (!count) return {};
    Values values = greatest_accepted(c, *count, format("{}*", parts[0]));
    values.push_back(format("{}*1", parts[0]));
    const auto role = c.contract.roles.find(std::string(split(c.clause, '.')[1]));
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

/// Fewer, or a whole GPU.
Values offer_sms(const Case& c)
{
    Values values = fewer(c);
    for (const hal::Gpu& gpu : c.question.machine.gpus)
        if (std::string whole = std::to_string(gpu.sms); gpu.sms > 0 && !std::ranges::count(values, whole))
            values.push_back(std::move(whole));
    return values;
}

/// A share is told as it was asked for: in hundredths, or as one part of so many.
Values offer_shares(const Case& c)
{
    if (c.read.ends_with('%')) return greatest_accepted(c, parse_number(c.read.substr(0, c.read.size() - 1)).value_or(0), "", "%");
    constexpr unsigned most_parts = 1000;
    for (unsigned parts = 2; parts <= most_parts; ++parts)
        if (std::string share = format("1/{}", parts); c.effect({c.clause, share})) return {std::move(share)};
    return {};
}

/// A kind, or a disk by its name: a zoned one is had in no other way.
Values offer_disks(const Case& c)
{
    Values values = {"nvme", "any"};
    for (const hal::Disk& disk : c.question.machine.disks) values.push_back(disk.name);
    return values;
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
    {"role.disk", offer_disks},
    {"role.io_depth", fewer},
    {"role.disk_queues", fewer},
    {"role.gpu", offer_gpus},
    {"role.pcie_domain", offer_domains},
    {"gpu.model", offer_models},
    {"gpu.sm", offer_sms},
    {"gpu.share", offer_shares},
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

std::vector<std::string> offers_for(const Case& c)
{
    const auto offer = std::ranges::find(offers, table_name(c.clause), &Offer::clause);
    if (offer == std::end(offers)) return {};
    std::vector<std::string> values = offer->values(c);
    std::erase(values, c.read);
    return values;
}

} // namespace mscale::contract
