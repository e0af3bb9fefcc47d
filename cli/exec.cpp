// mscale exec: run a part of a program in its role's place.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/cpu_set.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/daemon_client.hpp"
#include "cli/output.hpp"
#include "contract/role_place.hpp"

namespace mscale::cli {
namespace {

struct ExecArguments {
    std::string role;
    int pid = 0;
    std::vector<std::string> command;
};

// As shells and env(1) end.
constexpr int not_executable = 126, not_found = 127;

constexpr auto exec_footer = R"(A worker finds its own place by LOCAL_RANK, else SLURM_LOCALID.

Examples:
  mscale exec --role image_loader -- python3 loader.py
  mscale exec --role image_loader --pid $$)";

/// Tells mscaled, which watches the process from now on.  A node without the daemon still has the binding.
Result<void> register_process(const Global& global, const std::string& role, int pid)
{
    const auto site = contract::read_site(global.config);
    if (!site) return tl::unexpected(site.error());
    const auto answer = ask_daemon(*site, {{"op", "register"}, {"role", role}, {"pid", pid}});
    if (!answer) return tl::unexpected(answer.error());
    return {};
}

int start_command(const std::vector<std::string>& words)
{
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    const int fault = errno;
    report(failure(Code::usage,
                   format("can't run {}: {}", printable(words[0]),
                          fault == ENOENT ? "not found" : std::strerror(fault)),
                   "give a program of PATH, or its path, after --")
               .value());
    return fault == ENOENT ? not_found : not_executable;
}

int execute(const ExecArguments& arguments, const Global& global)
{
    const bool has_command = !arguments.command.empty();
    if (has_command == (arguments.pid > 0))
        return report(failure(Code::usage, "give either --pid PID or -- COMMAND").value());
    const int pid = has_command ? ::getpid() : arguments.pid;
    const auto place = contract::find_role_place(arguments.role);
    if (!place) return report(place.error());
    if (const auto bound = bind_affinity(pid, place->cpus); !bound) return report(bound.error());
    if (const auto told = register_process(global, arguments.role, pid); !told)
        remark(format("role {}: bound to CPUs {}, but not watched: {}", arguments.role, to_string(place->cpus),
                      told.error().text));
    if (!has_command) return 0;
    ::setenv("MSCALE_ROLE", arguments.role.c_str(), 1);
    return start_command(arguments.command);
}

} // namespace

void add_exec(CLI::App& app, const Global& global, Run& run)
{
    auto arguments = std::make_shared<ExecArguments>();
    CLI::App* command = app.add_subcommand("exec", "Run a command, or put a process, in a role's place");
    command->footer(exec_footer);
    command->add_option("--role", arguments->role, "the role, as the contract names it")
        ->required()
        ->type_name("NAME");
    command->add_option("--pid", arguments->pid, "a running process (or thread) of the job")
        ->check(CLI::PositiveNumber);
    command->add_option("COMMAND", arguments->command, "after --: what to run in the role's place");
    command->callback(
        [arguments, &global, &run] { run = [arguments, &global] { return execute(*arguments, global); }; });
}

} // namespace mscale::cli
