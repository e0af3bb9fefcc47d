#include "cli/sources.hpp"

#include <cerrno>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "hal/probe.hpp"

namespace mscale::cli {

void add_machine_options(CLI::App& command, MachineSource& source)
{
    auto* root =
        command.add_option("--root", source.root, "take a copied tree of /sys and /proc for the machine");
    command.add_option("--machine", source.file, "take the machine of a file: JSON of mscale, or hwloc XML")
        ->type_name("FILE")
        ->excludes(root);
    root->type_name("DIR");
}

void add_asked_options(CLI::App& command, Asked& asked)
{
    command.add_option("CONTRACT", asked.contract, "a profile, clauses, or @FILE")->required();
    add_machine_options(command, asked.machine);
    command.add_option("--tasks", asked.tasks, "tasks on the node (1)")->check(CLI::Range(1, 4096))->type_name("N");
}

namespace {

/// Its name is shown, and the file may be anybody's.
Result<hal::Machine> read_named_machine(const std::string& file)
{
    auto machine = hal::read_machine_file(file);
    if (machine) machine->name = printable(machine->name);
    return machine;
}

} // namespace

Result<hal::Machine> read_machine(const MachineSource& source, const contract::Site& site)
{
    if (!source.file.empty()) return read_named_machine(source.file);
    if (!source.root.empty()) return hal::probe_machine({Root(source.root), ""});
    return hal::probe_machine({Root(), site.nvml_library});
}

Result<hal::Inventory> read_inventory_of(const contract::Site& site)
{
    std::vector<Error> faults;
    auto inventory = read_inventory_of(site, faults);
    return inventory && !faults.empty() ? hal::read_inventory(site.inventory) : inventory;
}

Result<hal::Inventory> read_inventory_of(const contract::Site& site, std::vector<Error>& faults)
{
    if (::access(site.inventory.c_str(), R_OK | X_OK) != 0)
        return os_failure(Code::inventory, site.inventory, errno);
    return hal::read_readable_inventory(site.inventory, faults);
}

contract::Parsed read_contract(const std::string& text, const contract::Site& site)
{
    contract::Parsed parsed = contract::parse_options({text}, contract::ProfileDirectory(site.profiles));
    for (Fault& fault : parsed.faults)
        if (fault.error.code == Code::unknown_profile)
            fault.error.text += format(" (looked in {})", site.profiles);
    return parsed;
}

} // namespace mscale::cli
