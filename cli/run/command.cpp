// mscale run: srun, and a new one on live nodes when a node or a rank is lost.
#include <cstdlib>
#include <memory>
#include <thread>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/daemon_client.hpp"
#include "cli/output.hpp"
#include "cli/run/run_loop.hpp"

namespace mscale::cli {
namespace {

constexpr auto footer = R"(mscale run [OPTIONS] [srun options] -- COMMAND

srun's options are handed on as they are, but for -w, -x, -r, -k and --jobid: mscale run chooses the nodes.
The job's contract needs a clause of [ft], as ft.every=100,ft.spares=1; without one this is srun.

Examples: in a batch script
  mscale run -- ./heat 4096 100000
  mscale run -n 8 --cpu-bind=cores -- python3 train.py
  mscale run --max-restarts=3 --timeline=recovery.svg -- ./heat 4096 100000)";

std::optional<std::string> read_variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

Result<std::uint32_t> find_job()
{
    const auto number = parse_number(read_variable("SLURM_JOB_ID").value_or(""));
    if (number && *number > 0 && *number < UINT32_MAX) return static_cast<std::uint32_t>(*number);
    return failure(Code::usage, "mscale run works inside a job: SLURM_JOB_ID isn't set",
                   "put it into the script that you give to sbatch");
}

/// mscaled may be on its way up again.
Result<RunView> ask_view(const contract::Site& site, std::uint32_t job)
{
    constexpr int attempts = 25;
    Result<Json> answer = failure(Code::peer, "");
    for (int i = 0; i < attempts; ++i) {
        answer = ask_daemon(site, {{"op", "run"}, {"job", job}});
        if (answer || answer.error().code != Code::peer) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    if (!answer) return tl::unexpected(std::move(answer.error()));
    return run_view_from_json(*answer);
}

/// Without snapshots there is nothing to go on from: srun takes our place.
int become_srun(const RunLine& line, const std::string& why)
{
    tell(format("{}: this is srun, without restarts", why));
    const std::vector<std::string> words = srun_arguments(line);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    return report(os_failure(Code::node_act, "can't run srun", errno).value());
}

Result<Supervisor::Setup> set_up(const RunLine& line, const RunView& view, std::uint32_t job)
{
    const auto all = static_cast<unsigned>(view.nodes.size());
    if (view.spares >= all && !line.nodes)
        return failure(Code::usage, format("all {} nodes of the job are spares", all),
                       "say with -N how many to use");
    Supervisor::Setup setup;
    setup.job_id = job;
    setup.wanted_nodes = line.nodes.value_or(all - std::min(all, view.spares));
    setup.tasks = count_tasks(line, setup.wanted_nodes, read_variable);
    setup.max_restarts = line.max_restarts;
    setup.hang_limit = line.hang_limit;
    const std::uint64_t requeues = parse_number(read_variable("SLURM_RESTART_COUNT").value_or("0")).value_or(0);
    setup.requeues = requeues < line.max_restarts;
    setup.has_past = requeues > 0 || view.resumes;
    return setup;
}

int supervise(const RunLine& line, const Global& global)
{
    const auto job = find_job();
    if (!job) return report(job.error());
    const auto site = contract::read_site(global.config);
    if (!site) return report(site.error());
    const auto view = ask_view(*site, *job);
    if (!view && view.error().code == Code::no_such_job) return become_srun(line, "the job has no contract");
    if (!view) return report(view.error());
    if (!view->keeps_snapshots) return become_srun(line, "the contract of the job has no [ft]");
    const auto setup = set_up(line, *view, *job);
    if (!setup) return report(setup.error());
    auto signals = RunLoop::open_signals();
    if (!signals) return report(signals.error());
    return RunLoop(*site, line, *setup, *view, std::move(*signals)).run();
}

int read_and_supervise(const Global& global)
{
    const auto line = read_run_line(global.run_words);
    return line ? supervise(*line, global) : report(line.error());
}

} // namespace

void add_run(CLI::App& app, const Global& global, Run& run)
{
    CLI::App* command = app.add_subcommand(
        "run", "Run a step of a job by srun, and go on from its snapshots when a node or a rank is lost");
    command->footer(footer);
    // For the help alone: read_run_line reads them, among srun's.
    command->add_option("--max-restarts", "how often to go on after a loss (10)")->type_name("N");
    command
        ->add_option("--hang-limit",
                     "seconds without progress until the ranks count as lost; 0: never (ten times the longest step, at least 60)")
        ->type_name("SECONDS");
    command->add_option("--timeline", "write how the last recovery went; the name ends in .json or .svg")
        ->type_name("FILE");
    command->add_option("--verdict", "write how the run stands, as JSON, at its begin and at its end")
        ->type_name("FILE");
    command->callback([&global, &run] { run = [&global] { return read_and_supervise(global); }; });
}

} // namespace mscale::cli
