// mscale: the command.  This file is the table of its subcommands.
#include <exception>

#include <CLI/CLI.hpp>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "config.h"

namespace mscale::cli {
namespace {

constexpr auto footer =
    R"(Exit status: 0 honoured, 1 refused, 2 usage or a contract with faults, 3 system, 4 not permitted,
75 try later.

Examples:
  mscale check mlvm-light,role.image_loader.cores=4
  mscale topology
  mscale explain MSC-V013)";

int report_usage(const CLI::App& app, const CLI::ParseError& error)
{
    const bool is_help = error.get_exit_code() == 0;
    if (is_help) return app.exit(error);
    return report(failure(Code::usage, error.what()).value());
}

int run_command(int count, char** words)
{
    CLI::App app{
        "States what a Slurm job needs of a machine, and shows whether the machine keeps the promise.",
        "mscale"};
    app.footer(footer);
    app.set_version_flag("--version", "mscale " PACKAGE_VERSION " (Slurm " MSCALE_SLURM_VERSION ")");
    app.require_subcommand(1);
    Global global;
    app.add_option("--config", global.config,
                   "mscale.conf to use (default: $MSCALE_CONF, then " MSCALE_SYSCONFDIR "/mscale.conf)")
        ->type_name("FILE");
    Run run;
    add_check(app, global, run);
    add_explain(app, global, run);
    add_topology(app, global, run);
    add_plan(app, global, run);
    add_status(app, global, run);
    add_inventory(app, global, run);
    add_exec(app, global, run);
    add_doctor(app, global, run);
    try {
        app.parse(count, words);
    } catch (const CLI::ParseError& error) {
        return report_usage(app, error);
    }
    return run();
}

} // namespace
} // namespace mscale::cli

int main(int count, char** words)
try {
    return mscale::cli::run_command(count, words);
} catch (const std::exception& error) {
    mscale::log_line(mscale::Level::error, mscale::format("internal error: {}", error.what()));
    return mscale::exit_status(mscale::Kind::system);
}
