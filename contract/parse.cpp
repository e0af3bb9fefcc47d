#include "contract/parse.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "contract/clause_names.hpp"
#include "contract/conflicts.hpp"
#include "contract/lexer.hpp"

namespace mscale::contract {
namespace {

/// A clause that was given, with its place.
struct Assignment {
    ClauseName name;
    std::string value;
    Spot name_spot, value_spot;
};

/// Two names of one thing count as one.
std::string key_of(const ClauseName& name)
{
    return name.full == "ft.recovery_point" ? "ft.every" : name.full;
}

std::size_t count_named_cpus(const Role& role)
{
    const auto* set = role.cores ? std::get_if<CpuSet>(&*role.cores) : nullptr;
    return set ? set->size() : 0;
}

/// Reads the clauses of one text over what the contract holds already.
class Layer {
public:
    Layer(const SourceText& source, Parsed& parsed) : source_(source), parsed_(parsed) {}

    /// Understands the names; every fault is kept.
    void read(Pieces pieces)
    {
        std::ranges::move(pieces.faults, std::back_inserter(parsed_.faults));
        for (Piece& piece : pieces.pieces) read_piece(std::move(piece));
    }

    const Assignment* find(std::string_view full_name) const
    {
        const auto match = [&](const Assignment& given) { return given.name.full == full_name; };
        const auto found = std::ranges::find_if(assignments_, match);
        return found == assignments_.end() ? nullptr : &*found;
    }

    /// Sets the fields.
    void apply()
    {
        if (find("gpu.share") != nullptr) parsed_.contract.gpu.sm.reset();
        if (find("gpu.sm") != nullptr) parsed_.contract.gpu.share.reset();
        for (const Assignment& given : assignments_) {
            apply(given);
            if (exceeds_bounds(given)) return;
        }
    }

    const SourceText& source() const { return source_; }
    void fault(const Spot& spot, Error error) { add_fault(parsed_.faults, source_, spot, std::move(error)); }

    /// Finds what contradicts itself, with its place where this text gives it.  What hangs on a clause that is given but
    /// couldn't be read is no fault of its own.
    void check_conflicts()
    {
        const auto is_given = [&](const std::string& base) { return find(base) != nullptr; };
        for (const Conflict& conflict : find_conflicts(parsed_.contract)) {
            if (std::ranges::any_of(conflict.bases, is_given)) continue;
            const Assignment* given = find(conflict.clause);
            fault(given ? given->name_spot : Spot{}, conflict.error);
        }
    }

private:
    void read_piece(Piece piece)
    {
        auto name = read_clause_name(piece.name);
        if (!name) return refuse_name(piece, std::move(name.error()));
        const auto [first, is_new] = seen_.try_emplace(key_of(*name), piece.name_spot);
        if (!is_new)
            return fault(piece.name_spot,
                         failure(Code::twice, format("'{}' is given twice: in line {}, column {}, and here",
                                                     first->first, first->second.line, first->second.column))
                             .value());
        assignments_.push_back({std::move(*name), std::move(piece.value), piece.name_spot, piece.value_spot});
    }

    /// A wrong section of an INI text is one fault at its heading, however many keys stand below it.
    void refuse_name(const Piece& piece, Error error)
    {
        const bool is_heading = piece.is_ini && error.code != Code::unknown_key;
        const std::string section = piece.name.substr(0, piece.name.rfind('.'));
        if (is_heading && !wrong_sections_.insert(section).second) return;
        fault(is_heading ? source_.heading_above(piece.name_spot) : piece.name_spot, std::move(error));
    }

    void apply(const Assignment& given)
    {
        Role* role = given.name.role.empty() ? nullptr : &parsed_.contract.roles[given.name.role];
        if (auto set = given.name.clause->set(parsed_.contract, role, given.value); !set)
            return fault(given.value_spot, set.error());
        const std::string canonical = given.name.clause->write(parsed_.contract, role);
        written_ += given.name.full.size() + canonical.size();
        if (given.name.clause->key == "cores") cpus_ += count_named_cpus(*role);
        if (!canonical.empty() && canonical != given.value)
            parsed_.notes.push_back(
                format("{}: {} is read as {}", given.name.full, printable(given.value), canonical));
    }

    /// A short text can stand for much ("[0-8191:1/2]"); slurmctld waits while it is read, so the reading ends where it
    /// is sure that the contract is faulty.  No CPU can be two roles' own, so the sets can't name more than there can be.
    bool exceeds_bounds(const Assignment& given)
    {
        const std::size_t roles = parsed_.contract.roles.size();
        if (written_ > contract_limit)
            fault(given.name_spot,
                  failure(Code::too_large, "written out, the contract is larger than 64 KiB").value());
        else if (cpus_ > CpuSet::limit)
            fault(given.value_spot,
                  failure(
                      Code::conflict,
                      format("the roles' sets name {} CPUs up to here, so some belong to two of them", cpus_),
                      "give each role its own CPUs")
                      .value());
        else if (roles > most_roles)
            fault(given.name_spot,
                  failure(Code::too_many_roles,
                          format("this is role {}, and at most {} are planned on a node", roles, most_roles))
                      .value());
        else
            return false;
        return true;
    }

    const SourceText& source_;
    Parsed& parsed_;
    std::size_t written_ = 0; ///< bytes of the canonical form
    std::size_t cpus_ = 0;    ///< in the roles' sets
    std::vector<Assignment> assignments_;
    std::map<std::string, Spot> seen_;
    std::set<std::string> wrong_sections_;
};

void apply_profile(const Assignment& given, Layer& layer, Parsed& parsed, const Profiles& profiles)
{
    const auto text = profiles.read(given.value);
    if (!text) return layer.fault(given.value_spot, text.error());
    const SourceText source(*text, format("profile {}", printable(given.value)));
    Layer base(source, parsed);
    base.read(lex_ini(source));
    if (const Assignment* nested = base.find("contract.profile"))
        base.fault(nested->name_spot,
                   failure(Code::conflict, "a profile can't start from another profile").value());
    base.apply();
    parsed.profile = given.value;
}

bool states_anything(const Contract& contract)
{
    Contract stated;
    stated.profile = contract.profile;
    stated.workers = contract.workers;
    stated.per_node = contract.per_node;
    stated.strict = contract.strict;
    stated.trace_level = contract.trace_level;
    stated.on_breach = contract.on_breach;
    return contract != stated;
}

/// From the beginning of the text to its end; those of a profile after them.
void sort_faults(Faults& faults, const std::string& source)
{
    std::ranges::stable_sort(faults, {}, [&](const Fault& fault) {
        return std::tuple(fault.place.source != source, fault.place.line, fault.place.column);
    });
}

Parsed finish(Layer& layer, Parsed& parsed, const Profiles& profiles)
{
    if (const Assignment* profile = layer.find("contract.profile"))
        apply_profile(*profile, layer, parsed, profiles);
    layer.apply();
    layer.check_conflicts();
    parsed.contract.profile.reset();
    if (parsed.ok() && !states_anything(parsed.contract))
        layer.fault({}, failure(Code::empty_contract, "the contract promises nothing").value());
    if (parsed.ok() && to_canonical(parsed.contract).size() > contract_limit)
        layer.fault({},
                    failure(Code::too_large, "the contract with its profile is larger than 64 KiB").value());
    sort_faults(parsed.faults, layer.source().name());
    return std::move(parsed);
}

bool looks_like_ini(std::string_view text)
{
    const std::string_view begin = trim(text);
    return begin.starts_with('[') || begin.starts_with('#') || begin.starts_with(';');
}

Parsed refuse_size(std::string_view text, std::string_view source)
{
    const std::string fault =
        format("the contract has {} bytes, at most {} are read", text.size(), contract_limit);
    Parsed parsed;
    parsed.faults.push_back({failure(Code::too_large, fault).value(), {std::string(source), 1, 1, 1, ""}});
    return parsed;
}

} // namespace

Parsed parse_contract(std::string_view text, std::string_view source, const Profiles& profiles)
{
    if (looks_like_ini(text)) return parse_contract_ini(text, source, profiles);
    if (text.size() > contract_limit) return refuse_size(text, source);
    const SourceText whole(text, source);
    Parsed parsed;
    Layer layer(whole, parsed);
    layer.read(lex_inline(whole));
    return finish(layer, parsed, profiles);
}

Parsed parse_contract_ini(std::string_view text, std::string_view source, const Profiles& profiles)
{
    if (text.size() > contract_limit) return refuse_size(text, source);
    const SourceText whole(text, source);
    Parsed parsed;
    Layer layer(whole, parsed);
    layer.read(lex_ini(whole));
    return finish(layer, parsed, profiles);
}

} // namespace mscale::contract
