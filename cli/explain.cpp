// mscale explain: a code, a clause, the language or the site's profiles.
#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "contract/clauses.hpp"
#include "contract/parse.hpp"
#include "contract/site.hpp"

namespace mscale::cli {
namespace {

using contract::Clause;
using contract::Held;

struct ExplainArguments {
    std::string subject;
    bool clauses = false, codes = false, profiles = false, json = false;
};

constexpr auto explain_footer = R"(Examples:
  mscale explain MSC-V013
  mscale explain role.image_loader.hugepages
  mscale explain gpu                         the clauses of a section
  mscale explain --clauses)";

std::string_view held_text(Held held)
{
    switch (held) {
    case Held::enforced: return "set up, held and undone";
    case Held::placed: return "judged and placed; not enforced by this build, so the state stays `granted`";
    case Held::refused:
        return "judged by `mscale check`; refused at submit, since this build can't enforce it yet";
    case Held::stated: return "steers mscale itself";
    }
    return "";
}

std::string full_name(const Clause& clause)
{
    return clause.section == "role" ? format("role.NAME.{}", clause.key)
                                    : format("{}.{}", clause.section, clause.key);
}

std::string clause_text(const Clause& clause)
{
    return format("{} = {}\n", full_name(clause), clause.values) +
           table_row("  meaning", clause.meaning, 12) +
           table_row("  example", format("{}={}", full_name(clause), clause.example), 12) +
           table_row("  held", held_text(clause.held), 12);
}

Json clause_json(const Clause& clause)
{
    return {{"clause", full_name(clause)},
            {"values", clause.values},
            {"example", clause.example},
            {"meaning", clause.meaning},
            {"held", held_text(clause.held)}};
}

std::string code_text(const CodeEntry& entry)
{
    return format("{}\n", entry.id) + table_row("  cause", entry.cause, 10) +
           table_row("  check", entry.check, 10) + table_row("  cure", entry.cure, 10);
}

Json code_json(const CodeEntry& entry)
{
    return {{"code", entry.id},
            {"cause", entry.cause},
            {"check", entry.check},
            {"cure", entry.cure},
            {"exit_status", exit_status(entry.kind)}};
}

int list_clauses(bool json)
{
    Json list = Json::array();
    std::string text;
    for (const Clause& clause : contract::clause_table()) {
        list.push_back(clause_json(clause));
        text += format("{:<24} {}\n", full_name(clause), clause.values);
    }
    if (json)
        print_json(Json{{"mscale_clauses", 1}, {"clauses", list}});
    else
        print(text);
    return 0;
}

int list_codes(bool json)
{
    Json list = Json::array();
    std::string text;
    for (const CodeEntry& entry : code_table()) {
        list.push_back(code_json(entry));
        text += table_row(entry.id, entry.cause, 10);
    }
    if (json)
        print_json(Json{{"mscale_codes", 1}, {"codes", list}});
    else
        print(text);
    return 0;
}

int list_profiles(const Global& global, bool json)
{
    const auto site = contract::read_site(global.config);
    if (!site) return report(site.error());
    const contract::ProfileDirectory profiles(site->profiles);
    if (json) {
        print_json(
            Json{{"mscale_profiles", 1}, {"directory", site->profiles}, {"profiles", profiles.names()}});
        return 0;
    }
    if (profiles.names().empty())
        remark(format(
            "{} holds no profile: one is a file NAME.ini there; mscale installs three, and their source has "
            "them in etc/profiles",
            site->profiles));
    for (const std::string& name : profiles.names()) {
        const contract::Parsed parsed = contract::parse_contract(name, name, profiles);
        print(
            format("{:<14} {}", name,
                   parsed.ok() ? to_canonical(parsed.contract) : "(has faults: mscale check " + name + ")"));
    }
    return 0;
}

std::vector<const Clause*> clauses_of(std::string_view section)
{
    std::vector<const Clause*> clauses;
    for (const Clause& clause : contract::clause_table())
        if (clause.section == section || (clause.section == "role" && section.starts_with("role.") &&
                                          section.find('.', 5) == std::string_view::npos))
            clauses.push_back(&clause);
    return clauses;
}

int list_section(const std::vector<const Clause*>& clauses, bool json)
{
    Json list = Json::array();
    for (const Clause* clause : clauses) {
        list.push_back(clause_json(*clause));
        if (!json) print(format("{:<24} {}", full_name(*clause), clause->values));
    }
    if (json) print_json(Json{{"mscale_clauses", 1}, {"clauses", list}});
    return 0;
}

/// "role.x.hugepage" -> "role.x.hugepages"; the role's name is the user's own.
std::string suggest_clause(const std::string& read)
{
    const std::size_t name_end = read.starts_with("role.") ? read.find('.', 5) : std::string::npos;
    const std::string role = name_end == std::string::npos ? "NAME" : read.substr(5, name_end - 5);
    std::vector<std::string> names;
    for (const Clause& clause : contract::clause_table())
        names.push_back(clause.section == "role" ? format("role.{}.{}", role, clause.key)
                                                 : full_name(clause));
    for (const CodeEntry& entry : code_table()) names.emplace_back(entry.id);
    const auto nearest = nearest_spelling(read, std::vector<std::string_view>(names.begin(), names.end()));
    return nearest ? format("did you mean '{}'?", printable(*nearest))
                   : "see `mscale explain --codes` and `mscale explain --clauses`";
}

int explain_subject(const ExplainArguments& arguments)
{
    if (const auto entry = find_code(arguments.subject)) {
        if (arguments.json)
            print_json(code_json(*entry));
        else
            print(code_text(*entry));
        return 0;
    }
    const Clause* clause = contract::find_clause(arguments.subject);
    if (const auto clauses = clauses_of(arguments.subject); clause == nullptr && !clauses.empty())
        return list_section(clauses, arguments.json);
    if (clause == nullptr)
        return report(failure(Code::usage,
                              format("'{}' is neither a code nor a clause", printable(arguments.subject)),
                              suggest_clause(arguments.subject))
                          .value());
    if (arguments.json)
        print_json(clause_json(*clause));
    else
        print(clause_text(*clause));
    return 0;
}

int explain(const ExplainArguments& arguments, const Global& global)
{
    if (arguments.clauses) return list_clauses(arguments.json);
    if (arguments.codes) return list_codes(arguments.json);
    if (arguments.profiles) return list_profiles(global, arguments.json);
    return explain_subject(arguments);
}

} // namespace

void add_explain(CLI::App& app, const Global& global, Run& run)
{
    auto arguments = std::make_shared<ExplainArguments>();
    CLI::App* command = app.add_subcommand("explain", "Explain a code or a clause, or list them");
    command->footer(explain_footer);
    auto* what = command->add_option_group("subject");
    what->add_option("SUBJECT", arguments->subject,
                     "a code (MSC-V013), a clause (role.loader.cores) or a section (gpu)");
    what->add_flag("--clauses", arguments->clauses, "list the clauses of the language");
    what->add_flag("--codes", arguments->codes, "list the codes");
    what->add_flag("--profiles", arguments->profiles, "list the site's profiles");
    what->require_option(1);
    command->add_flag("--json", arguments->json, "print as JSON");
    command->callback(
        [arguments, &global, &run] { run = [arguments, &global] { return explain(*arguments, global); }; });
}

} // namespace mscale::cli
