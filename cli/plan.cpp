// mscale plan: where a contract would lie on a machine.
#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/sources.hpp"
#include "contract/verdict.hpp"

namespace mscale::cli {
namespace {

struct PlanArguments {
    std::string contract;
    MachineSource machine;
    unsigned tasks = 1;
    bool json = false;
};

constexpr auto footer = R"(Examples:
  mscale plan mlvm-light
  mscale plan --tasks 4 role.image_loader.cores=2
  mscale plan --machine hgx.json --json mlvm-heavy)";

int show_plan(const PlanArguments& arguments, const Global& global)
{
    const auto site = contract::read_site(global.config);
    if (!site) return report(site.error());
    const contract::Parsed parsed = read_contract(arguments.contract, *site);
    for (const std::string& note : parsed.notes) remark(note);
    if (!parsed.ok()) return report(parsed.faults);
    const auto machine = read_machine(arguments.machine, *site);
    if (!machine) return report(machine.error());
    contract::Question question{*machine, *site, {}};
    question.allocation.tasks = arguments.tasks;
    const contract::Verdict verdict = contract::verify(parsed.contract, question);
    if (!verdict.honoured()) {
        remark(format("refused on {} ({}):\n{}", machine->name, machine->origin,
                      contract::to_text(verdict.refusals)));
        return exit_status(Kind::refused);
    }
    if (arguments.json)
        print_json(Json{{"mscale_plan", 1},
                        {"contract", to_canonical(parsed.contract)},
                        {"plan", to_json(verdict.plan)}});
    else
        print(draw_plan(verdict.plan, *machine, output_columns()));
    return 0;
}

} // namespace

void add_plan(CLI::App& app, const Global& global, Run& run)
{
    auto arguments = std::make_shared<PlanArguments>();
    CLI::App* command = app.add_subcommand("plan", "Draw the machine with the contract in it");
    command->footer(footer);
    command->add_option("CONTRACT", arguments->contract, "a profile, clauses, or @FILE")->required();
    add_machine_options(*command, arguments->machine);
    command->add_option("--tasks", arguments->tasks, "tasks on the node (1)")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    command->add_flag("--json", arguments->json, "print the plan as JSON");
    command->callback(
        [arguments, &global, &run] { run = [arguments, &global] { return show_plan(*arguments, global); }; });
}

} // namespace mscale::cli
