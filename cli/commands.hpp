#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

/// The subcommands of `mscale`: each file pair adds one to the command line and does its work as a function that returns
/// the exit status (DESIGN §3).
namespace mscale::cli {

/// What stands before the subcommand.
struct Global {
    std::string config;                 ///< --config: path of mscale.conf; "" for the default
    std::vector<std::string> run_words; ///< what stands after `run`: srun's options and a command
};

/// What the chosen subcommand left to be run once the whole line has been read.
using Run = std::function<int()>;

void add_check(CLI::App& app, const Global& global, Run& run);
void add_explain(CLI::App& app, const Global& global, Run& run);
void add_topology(CLI::App& app, const Global& global, Run& run);
void add_plan(CLI::App& app, const Global& global, Run& run);
void add_status(CLI::App& app, const Global& global, Run& run);
void add_inventory(CLI::App& app, const Global& global, Run& run);
void add_exec(CLI::App& app, const Global& global, Run& run);
void add_snapshot(CLI::App& app, const Global& global, Run& run);
void add_doctor(CLI::App& app, const Global& global, Run& run);
void add_run(CLI::App& app, const Global& global, Run& run);

} // namespace mscale::cli
