// mscale topology: the machine, drawn or as JSON.
#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/sources.hpp"
#include "hal/machine_json.hpp"
#include "hal/machine_text.hpp"

namespace mscale::cli {
namespace {

struct TopologyArguments {
    MachineSource machine;
    bool json = false;
};

constexpr auto topology_footer = R"(Examples:
  mscale topology
  mscale topology --json > this-node.json
  mscale topology --root /srv/copied-tree)";

int show_topology(const TopologyArguments& arguments, const Global& global)
{
    const auto site = contract::read_site(global.config);
    if (!site) return report(site.error());
    const auto machine = read_machine(arguments.machine, *site);
    if (!machine) return report(machine.error());
    if (arguments.json)
        print_json(to_json(*machine));
    else
        print(draw_machine(*machine, output_columns()));
    return 0;
}

} // namespace

void add_topology(CLI::App& app, const Global& global, Run& run)
{
    auto arguments = std::make_shared<TopologyArguments>();
    CLI::App* command =
        app.add_subcommand("topology", "Show the machine: NUMA nodes, cores, huge pages, devices");
    command->footer(topology_footer);
    add_machine_options(*command, arguments->machine);
    command->add_flag("--json", arguments->json, "print the machine as JSON (--machine reads it again)");
    command->callback([arguments, &global, &run] {
        run = [arguments, &global] { return show_topology(*arguments, global); };
    });
}

} // namespace mscale::cli
