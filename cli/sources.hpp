#pragma once

#include <string>

#include "contract/parse.hpp"
#include "contract/site.hpp"
#include "hal/inventory.hpp"
#include "hal/machine.hpp"

namespace CLI {
class App;
}

namespace mscale::cli {

/// Which machine is meant: this system, a copied tree, or a file.
struct MachineSource {
    std::string root;
    std::string file;
};

/// Adds --root and --machine to a subcommand.
void add_machine_options(CLI::App& command, MachineSource& source);

/// What is judged: a contract on a machine with so many tasks.
struct Asked {
    std::string contract;
    MachineSource machine;
    unsigned tasks = 1;
};

/// Adds CONTRACT, --root, --machine and --tasks to a subcommand.
void add_asked_options(CLI::App& command, Asked& asked);

Result<hal::Machine> read_machine(const MachineSource& source, const contract::Site& site);

/// The site's inventory; a directory that can't be read is named by its path.
Result<hal::Inventory> read_inventory_of(const contract::Site& site);
/// What can be read of it; `faults` gets the files that can't be.
Result<hal::Inventory> read_inventory_of(const contract::Site& site, std::vector<Error>& faults);

/// The contract of a command line, in any of its spellings; "@FILE" is read as the caller.  A profile that isn't there is
/// told with the directory that was looked in.
contract::Parsed read_contract(const std::string& text, const contract::Site& site);

} // namespace mscale::cli
