// mscale check: would this contract be honoured?
#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/refused_view.hpp"
#include "cli/sources.hpp"
#include "contract/given.hpp"
#include "contract/verdict.hpp"

namespace mscale::cli {
namespace {

using contract::Parsed;

struct CheckArguments {
    Asked asked;
    std::string cpus;
    bool json = false;
};

constexpr auto check_footer = R"(Examples:
  mscale check mlvm-light
  mscale check 'role.image_loader.cores=4,role.image_loader.hugepages=2MiB*512' --tasks 2
  mscale check --machine <(ssh node7 mscale topology --json) --json @llava.ini)";

Json fault_json(const Fault& fault)
{
    return {{"code", entry_of(fault.error.code).id},
            {"line", fault.place.line},
            {"column", fault.place.column},
            {"text", fault.error.text},
            {"hint", fault.error.cure}};
}

/// A fault of a file other than the contract, or of the system, has no place in the contract.
Json fault_json(const Error& error)
{
    return {{"code", entry_of(error.code).id}, {"line", nullptr}, {"column", nullptr}, {"text", error.text}, {"hint", error.cure}};
}

Json unjudged_json(const char* verdict, Json contract, Json faults)
{
    return {{"mscale_check", 1},      {"verdict", verdict},           {"submit", "refused"}, {"contract", std::move(contract)},
            {"refusals", Json::array()}, {"faults", std::move(faults)}, {"plan", nullptr},     {"nearest", nullptr}};
}

int report_faults(const Parsed& parsed, bool as_json)
{
    Json faults = Json::array();
    for (const Fault& fault : parsed.faults) faults.push_back(fault_json(fault));
    if (as_json) print_json(unjudged_json("invalid", nullptr, std::move(faults)));
    return report(parsed.faults);
}

/// What stands in the way of a verdict; tools that read the JSON find it there as well.
int report_obstacle(const Error& error, Json contract, bool as_json)
{
    if (as_json) print_json(unjudged_json("none", std::move(contract), Json::array({fault_json(error)})));
    return report(error);
}

/// Whether it has clauses that are judged here and refused at submit: this build can't enforce them yet.
bool is_refused_at_submit(const contract::Contract& contract)
{
    return std::ranges::any_of(given_clauses(contract), [](const contract::Given& given) {
        return given.clause->held == contract::Held::refused;
    });
}

Json verdict_json(const Parsed& parsed, const contract::Verdict& verdict,
                  const std::optional<contract::Contract>& nearest, const hal::Machine& machine)
{
    Json refusals = Json::array();
    for (const auto& refusal : verdict.refusals) refusals.push_back(to_json(refusal));
    return {{"mscale_check", 1},
            {"verdict", verdict.honoured() ? "honoured" : "refused"},
            {"submit",
             verdict.honoured() && !is_refused_at_submit(parsed.contract) ? "accepted" : "refused"},
            {"contract", to_canonical(parsed.contract)},
            {"refusals", refusals},
            {"warnings", verdict.warnings},
            {"faults", Json::array()},
            {"plan", to_json(verdict.plan)},
            {"nearest", nearest ? Json(to_canonical(*nearest)) : Json(nullptr)},
            {"machine", {{"name", machine.name}, {"origin", machine.origin}, {"notes", machine.notes}}}};
}

void print_verdict(const Parsed& parsed, const contract::Verdict& verdict, const std::optional<contract::Contract>& nearest,
                   const hal::Machine& machine)
{
    for (const std::string& warning : verdict.warnings) remark("warning: " + warning);
    if (verdict.honoured()) {
        print(format("honoured on {} ({})", machine.name, machine.origin));
        for (const std::string& note : verdict.plan.notes)
            if (!std::ranges::count(verdict.warnings, note)) print("  " + note);
        if (!verdict.plan.unenforced.empty())
            print("  placed, but not enforced by this build: " + join(verdict.plan.unenforced, ", "));
        return;
    }
    print(tell_refused(parsed.contract, verdict, nearest, machine));
}

/// What Slurm could have granted: nothing that the machine hasn't.
Result<contract::Allocation> allocation_of(const CheckArguments& arguments, const hal::Machine& machine)
{
    contract::Allocation allocation;
    allocation.tasks = arguments.asked.tasks;
    if (arguments.cpus.empty()) return allocation;
    auto cpus = parse_cpu_list(arguments.cpus);
    if (!cpus) return tl::unexpected(cpus.error());
    if (!machine.online.contains(*cpus))
        return failure(Code::usage, format("--cpus {}: {} has the CPUs {}", arguments.cpus, machine.name,
                                           to_string(machine.online)));
    allocation.cpus = std::move(*cpus);
    return allocation;
}

int check(const CheckArguments& arguments, const Global& global)
{
    const auto site = contract::read_site(global.config);
    if (!site) return report_obstacle(site.error(), nullptr, arguments.json);
    const Parsed parsed = read_contract(arguments.asked.contract, *site);
    for (const std::string& note : parsed.notes) remark(note);
    if (!parsed.ok()) return report_faults(parsed, arguments.json);
    const std::string canonical = to_canonical(parsed.contract);
    const auto machine = read_machine(arguments.asked.machine, *site);
    if (!machine) return report_obstacle(machine.error(), canonical, arguments.json);
    const auto allocation = allocation_of(arguments, *machine);
    if (!allocation) return report_obstacle(allocation.error(), canonical, arguments.json);
    contract::Question question{*machine, *site, *allocation};
    question.unstarted = true;
    const contract::Verdict verdict = contract::verify(parsed.contract, question);
    const auto nearest = seek_nearest(parsed.contract, question, verdict);
    if (arguments.json)
        print_json(verdict_json(parsed, verdict, nearest, *machine));
    else
        print_verdict(parsed, verdict, nearest, *machine);
    return verdict.honoured() ? 0 : exit_status(Kind::refused);
}

} // namespace

void add_check(CLI::App& app, const Global& global, Run& run)
{
    auto arguments = std::make_shared<CheckArguments>();
    CLI::App* command = app.add_subcommand("check", "Say whether a contract would be honoured, and why not");
    command->footer(check_footer);
    add_asked_options(*command, arguments->asked);
    command
        ->add_option("--cpus", arguments->cpus,
                     "judge against these CPUs alone, as if Slurm had granted them")
        ->type_name("LIST");
    command->add_flag("--json", arguments->json, "print the verdict as JSON");
    command->callback(
        [arguments, &global, &run] { run = [arguments, &global] { return check(*arguments, global); }; });
}

} // namespace mscale::cli
