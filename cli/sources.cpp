#include "cli/sources.hpp"

#include <CLI/CLI.hpp>

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

Result<hal::Machine> read_machine(const MachineSource& source, const contract::Site& site)
{
    if (!source.file.empty()) return hal::read_machine_file(source.file);
    if (!source.root.empty()) return hal::probe_machine({Root(source.root), ""});
    return hal::probe_machine({Root(), site.nvml_library});
}

contract::Parsed read_contract(const std::string& text, const contract::Site& site)
{
    return contract::parse_options({text}, contract::ProfileDirectory(site.profiles));
}

} // namespace mscale::cli
