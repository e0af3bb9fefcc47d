// mscale plan: where a contract would lie on a machine.
#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/refused_view.hpp"
#include "cli/sources.hpp"
#include "contract/verdict.hpp"

namespace mscale::cli {
namespace {

struct PlanArguments {
    Asked asked;
    bool json = false;
};

constexpr auto plan_footer = R"(Examples:
  mscale plan mlvm-light
  mscale plan --tasks 4 role.image_loader.cores=2
  mscale plan --machine examples/hgx-h100.json --json mlvm-heavy)";

/// The members that every answer has.
Json plan_json(const char* verdict, const Json& contract, const Json& faults)
{
    return {{"mscale_plan", 1}, {"verdict", verdict},        {"contract", contract},
            {"faults", faults}, {"refusals", Json::array()}, {"plan", nullptr}, {"nearest", nullptr}};
}

Json fault_list(const Faults& faults)
{
    Json list = Json::array();
    for (const Fault& fault : faults) list.push_back(error_json(fault.error));
    return list;
}

Json refused_json(const contract::Contract& contract, const contract::Verdict& verdict,
                  const std::optional<contract::Contract>& nearest)
{
    Json json = plan_json("refused", to_canonical(contract), Json::array());
    for (const auto& refusal : verdict.refusals) json["refusals"].push_back(to_json(refusal));
    if (nearest) json["nearest"] = to_canonical(*nearest);
    return json;
}

int refuse(const contract::Contract& contract, const contract::Question& question, const contract::Verdict& verdict, bool json)
{
    const auto nearest = seek_nearest(contract, question, verdict);
    if (json) print_json(refused_json(contract, verdict, nearest));
    remark(tell_refused(contract, verdict, nearest, question.machine));
    return exit_status(Kind::refused);
}

Json honoured_json(const contract::Parsed& parsed, const contract::Verdict& verdict)
{
    Json json = plan_json("honoured", to_canonical(parsed.contract), Json::array());
    json["plan"] = to_json(verdict.plan);
    return json;
}

int fail(const Error& error, bool json)
{
    if (json) {
        Json answer = plan_json("failed", nullptr, Json::array());
        answer["error"] = error_json(error);
        print_json(answer);
    }
    return report(error);
}

int show_plan(const PlanArguments& arguments, const Global& global)
{
    const auto site = contract::read_site(global.config);
    if (!site) return fail(site.error(), arguments.json);
    const contract::Parsed parsed = read_contract(arguments.asked.contract, *site);
    for (const std::string& note : parsed.notes) remark(note);
    if (!parsed.ok()) {
        if (arguments.json) print_json(plan_json("invalid", nullptr, fault_list(parsed.faults)));
        return report(parsed.faults);
    }
    const auto machine = read_machine(arguments.asked.machine, *site);
    if (!machine) return fail(machine.error(), arguments.json);
    contract::Question question{*machine, *site, {}};
    question.unstarted = true;
    question.allocation.tasks = arguments.asked.tasks;
    const contract::Verdict verdict = contract::verify(parsed.contract, question);
    if (!verdict.honoured()) return refuse(parsed.contract, question, verdict, arguments.json);
    if (arguments.json)
        print_json(honoured_json(parsed, verdict));
    else
        print(draw_plan(verdict.plan, *machine, output_columns()));
    return 0;
}

} // namespace

void add_plan(CLI::App& app, const Global& global, Run& run)
{
    auto arguments = std::make_shared<PlanArguments>();
    CLI::App* command = app.add_subcommand("plan", "Draw the machine with the contract in it");
    command->footer(plan_footer);
    add_asked_options(*command, arguments->asked);
    command->add_flag("--json", arguments->json, "print the plan as JSON");
    command->callback(
        [arguments, &global, &run] { run = [arguments, &global] { return show_plan(*arguments, global); }; });
}

} // namespace mscale::cli
