// mscale: the command.  This file is the table of its subcommands.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "config.h"

namespace mscale::cli {
namespace {

constexpr auto main_footer =
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

/// The place of the first word that is neither an option nor the value of one; `count` when there is none.
int find_subcommand(int count, char** words)
{
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        if (word == "--config")
            ++i;
        else if (!word.starts_with("-"))
            return i;
    }
    return count;
}

/// What stands after `run` is srun's and the program's: of it CLI11 is shown the wish for help alone.  The number of words that
/// it is shown.
int take_run_words(int count, char** words, int subcommand, Global& global)
{
    if (subcommand >= count || std::string_view(words[subcommand]) != "run") return count;
    for (int i = subcommand + 1; i < count; ++i) global.run_words.emplace_back(words[i]);
    const auto is_help = [](const std::string& word) { return word == "--help" || word == "-h"; };
    const auto end = std::ranges::find(global.run_words, "--");
    if (std::find_if(global.run_words.begin(), end, is_help) == end) return subcommand + 1;
    std::swap(words[subcommand + 1], *std::find_if(words + subcommand + 1, words + count, is_help));
    return subcommand + 2;
}

/// A word that is no subcommand, with the one that was most likely meant.
Result<void> check_subcommand(const CLI::App& app, const std::string& word)
{
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    if (word.empty() || std::ranges::count(names, word) > 0) return {};
    const auto nearest = nearest_spelling(word, std::vector<std::string_view>(names.begin(), names.end()));
    return failure(Code::usage, format("there is no subcommand '{}'", printable(word)),
                   nearest ? format("did you mean '{}'?", *nearest) : "they are: " + join(names, ", "));
}

/// The cure for a file with faults doesn't fit one that isn't there.
Result<void> check_config(const std::string& path)
{
    if (path.empty() || ::access(path.c_str(), R_OK) == 0) return {};
    return os_failure(Code::config_file, format("--config {}", printable(path)), errno,
                      "name a file that you can read, or leave --config out");
}

/// An option with nothing behind it is a script's empty variable; taken as not given it would change the question.
void refuse_empty_values(CLI::App& app)
{
    const auto is_given = [](const std::string& value) { return value.empty() ? "the value is empty" : ""; };
    for (CLI::App* command : app.get_subcommands({}))
        for (CLI::Option* option : command->get_options())
            if (!option->get_lnames().empty() && option->get_items_expected_max() > 0) option->check(is_given);
}

int run_command(int count, char** words)
{
    CLI::App app{
        "States what a Slurm job needs of a machine, and shows whether the machine keeps the promise.",
        "mscale"};
    app.footer(main_footer);
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
    add_snapshot(app, global, run);
    add_doctor(app, global, run);
    add_run(app, global, run);
    refuse_empty_values(app);
    const int subcommand = find_subcommand(count, words);
    if (const auto known = check_subcommand(app, subcommand < count ? words[subcommand] : ""); !known)
        return report(known.error());
    const int shown = take_run_words(count, words, subcommand, global);
    try {
        app.parse(shown, words);
    } catch (const CLI::ParseError& error) {
        return report_usage(app, error);
    }
    if (const auto readable = check_config(global.config); !readable) return report(readable.error());
    return run();
}

/// What was printed must have arrived: a file on a full disk is no answer.
int finish_output(int status)
{
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    return report(os_failure(Code::output, "writing to standard output", errno).value());
}

} // namespace
} // namespace mscale::cli

int main(int count, char** words)
try {
    return mscale::cli::finish_output(mscale::cli::run_command(count, words));
} catch (const std::exception& error) {
    mscale::log_line(mscale::Level::error, mscale::format("internal error: {}", error.what()));
    return mscale::exit_status(mscale::Kind::system);
}
