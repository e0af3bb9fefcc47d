// What --mscale-contract means when it is given more than once.
#include <algorithm>

#include "base/text.hpp"
#include "contract/given.hpp"
#include "contract/parse.hpp"

namespace mscale::contract {
namespace {

constexpr std::string_view option_name = "--mscale-contract";

Parsed refuse(Error error, const std::string& text)
{
    Parsed parsed;
    parsed.faults.push_back(
        {std::move(error), {std::string(option_name), 1, 1, std::max<std::size_t>(text.size(), 1), text}});
    return parsed;
}

Parsed parse_one(const std::string& text, const Profiles& profiles)
{
    if (!text.starts_with('@')) return parse_contract(text, option_name, profiles);
    const auto file = read_contract_file(text);
    if (!file) return refuse(file.error(), text);
    return parse_contract_ini(*file, text.substr(1), profiles);
}

/// A text that only steers (contract.*, on_breach.*) promises nothing alone, and one that lacks a clause may find it in the
/// earlier one: both can amend.
bool can_amend(const Parsed& later)
{
    const auto is_cured = [](const Fault& fault) {
        return fault.error.code == Code::empty_contract || fault.error.code == Code::lone_clause;
    };
    return later.ok() || (std::ranges::all_of(later.faults, is_cured) && !given_clauses(later.contract).empty());
}

/// The earlier contract with the later one's clauses put over it.
Parsed amend(const Contract& earlier, Parsed later, const Profiles& profiles)
{
    std::vector<std::string> clauses;
    for (const Given& given : given_clauses(earlier)) {
        const bool is_alternative = (given.name == "gpu.sm" && later.contract.gpu.share) ||
                                    (given.name == "gpu.share" && later.contract.gpu.sm);
        if (value_of(later.contract, given.name).empty() && !is_alternative)
            clauses.push_back(format("{}={}", given.name, given.value));
    }
    clauses.push_back(to_canonical(later.contract));
    Parsed whole = parse_contract(join(clauses, ","), option_name, profiles);
    whole.notes.insert(whole.notes.begin(), later.notes.begin(), later.notes.end());
    whole.profile = later.profile;
    return whole;
}

void note_dropped(const Contract& earlier, Parsed& later)
{
    std::vector<std::string> dropped;
    for (const Given& given : given_clauses(earlier))
        if (value_of(later.contract, given.name).empty())
            dropped.push_back(format("{}={}", given.name, given.value));
    if (!dropped.empty())
        later.notes.push_back(
            format("a later {} replaces the earlier one; dropped: {} (begin the later one with + to amend)",
                   option_name, join(dropped, ", ")));
}

} // namespace

Parsed parse_options(const std::vector<std::string>& texts, const Profiles& profiles)
{
    std::optional<Parsed> earlier;
    for (const std::string& text : texts) {
        const bool amends = text.starts_with('+');
        if (amends && !earlier)
            return refuse(failure(Code::text_syntax,
                                  format("'+' amends an earlier {}, and there is none", option_name),
                                  "leave the '+' out")
                              .value(),
                          text);
        Parsed parsed = parse_one(amends ? text.substr(1) : text, profiles);
        if (amends && can_amend(parsed)) parsed = amend(earlier->contract, std::move(parsed), profiles);
        if (!parsed.ok()) return parsed;
        if (earlier && !amends) note_dropped(earlier->contract, parsed);
        earlier = std::move(parsed);
    }
    return earlier ? std::move(*earlier)
                   : refuse(failure(Code::empty_contract, "no contract is given").value(), "");
}

} // namespace mscale::contract
