// mscale snapshot: what this node's mscaled holds of jobs, whether it is whole, and its end.
#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/daemon_client.hpp"
#include "cli/output.hpp"
#include "cli/recorded_job.hpp"
#include "cli/snapshot_view.hpp"

namespace mscale::cli {
namespace {

struct SnapshotArguments {
    std::string job;
    bool json = false;
};

constexpr auto snapshot_footer =
    R"(Users see their own jobs, root sees all.  An epoch with * is not committed: no job goes on from it.

Examples:
  mscale snapshot list
  srun --jobid=4711 --overlap mscale snapshot show 4711
  mscale snapshot verify 4711 --json
  mscale snapshot drop 4711)";

int fail_snapshot(const Error& error, bool json)
{
    if (json) print_json(Json{{"mscale_snapshot", 1}, {"error", error_json(error)}});
    return report(error);
}

/// The answer as it came, in the form that scripts read.
void print_answer(Json answer)
{
    answer.erase("ok");
    answer["mscale_snapshot"] = 1;
    print_json(answer);
}

bool is_damaged(const Json& answer)
{
    const Json checks = answer.value("checks", Json::array());
    return std::ranges::any_of(checks,
                               [](const Json& check) { return check.value("result", "") == "damaged"; });
}

void print_text(const std::string& what, const Json& answer)
{
    const Json nodes = answer.value("nodes", Json::array());
    if (what == "verify") return print(check_table(answer.value("checks", Json::array())));
    if (what == "drop")
        return print(format("{} of memory are free", format_bytes(answer.value("bytes", std::uint64_t{0}))));
    if (what == "show") print(commit_text(nodes));
    print(snapshot_table(nodes, what == "show"));
    for (const Json& node : answer.value("silent", Json::array()))
        if (node.is_string()) remark(format("node {} doesn't answer", node.get<std::string>()));
}

/// 1 when something is damaged: what is known then is that the other copies must do.
int ask(const std::string& what, const SnapshotArguments& arguments, const Global& global)
{
    const auto site = contract::read_site(global.config);
    if (!site) return fail_snapshot(site.error(), arguments.json);
    const auto job = read_job_number(arguments.job);
    if (!job) return fail_snapshot(job.error(), arguments.json);
    Json request = {{"op", "snapshot"}, {"do", what}};
    if (*job > 0) request["job"] = *job;
    const auto answer = ask_daemon(*site, request);
    if (!answer) return fail_snapshot(answer.error(), arguments.json);
    if (arguments.json)
        print_answer(*answer);
    else
        print_text(what, *answer);
    return is_damaged(*answer) ? exit_status(Kind::refused) : 0;
}

void add_act(CLI::App& command, const std::string& what, const char* does, bool job_needed,
             const Global& global, Run& run)
{
    auto arguments = std::make_shared<SnapshotArguments>();
    CLI::App* act = command.add_subcommand(what, does);
    act->footer(snapshot_footer);
    act->add_option("JOB", arguments->job, job_needed ? "job id" : "job id; without it all jobs of this node")
        ->required(job_needed);
    act->add_flag("--json", arguments->json, "print as JSON");
    act->callback([what, arguments, &global, &run] {
        run = [what, arguments, &global] { return ask(what, *arguments, global); };
    });
}

} // namespace

void add_snapshot(CLI::App& app, const Global& global, Run& run)
{
    CLI::App* command =
        app.add_subcommand("snapshot", "Show, verify or drop the snapshots that this node holds");
    command->footer(snapshot_footer);
    command->require_subcommand(1);
    add_act(*command, "list", "Show what is held here, whose it is and since when", false, global, run);
    add_act(*command, "show", "Show what all nodes of a job hold, and what is committed", true, global, run);
    add_act(*command, "verify", "Compare the data that are held here with their checksums", false, global,
            run);
    add_act(*command, "drop", "Free what is held here; while the job runs only root may", true, global, run);
}

} // namespace mscale::cli
