// mscale status: what was promised, what was granted, what the kernel says now.
#include <algorithm>
#include <array>

#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/daemon_client.hpp"
#include "cli/output.hpp"
#include "cli/recorded_job.hpp"
#include "cli/slurm_view.hpp"
#include "cli/snapshot_view.hpp"

namespace mscale::cli {
namespace {

struct StatusArguments {
    std::string job;
    bool json = false;
};

constexpr auto status_footer = R"(A job is shown to its owner and to root.
What the kernel says now is known on the job's nodes; elsewhere, and after the job, what slurmctld has is shown.

Examples:
  mscale status            the jobs of this node
  mscale status 4711
  srun --jobid=4711 --overlap mscale status 4711
  mscale status 4711 --json)";

std::string text_of(const Json& object, const char* key)
{
    const auto member = object.find(key);
    if (member == object.end() || member->is_null()) return "";
    return member->is_string() ? member->get<std::string>() : member->dump();
}

std::string joined(const Json& object, const char* key)
{
    std::vector<std::string> words;
    for (const Json& word : object.value(key, Json::array()))
        if (word.is_string()) words.push_back(word.get<std::string>());
    return join(words, ", ");
}

/// A row of the tables of processes and pages: what it is, promised, found.
using Row = std::array<std::string, 3>;

Row page_row(const Json& pages)
{
    const std::string where =
        pages.contains("mount") ? text_of(pages, "mount") : format("node {}", text_of(pages, "numa"));
    return {
        format("huge pages of {} on {}", format_bytes(pages.value("page_bytes", std::uint64_t{0})), where),
        text_of(pages, "promised"), text_of(pages, "found")};
}

Row process_row(const Json& process)
{
    const std::string role = text_of(process, "role");
    const std::string found = text_of(process, "found");
    return {format("{} (pid {})", role.empty() ? "task " + text_of(process, "task") : role,
                   text_of(process, "pid")),
            text_of(process, "promised"), found.empty() ? "ended" : found};
}

/// As wide as the longest name: that of a mount is longer than any fixed column.
std::string found_table(const Json& node)
{
    std::vector<Row> rows = {{"", "promised", "found"}};
    for (const Json& process : node.value("processes", Json::array())) rows.push_back(process_row(process));
    for (const Json& pool : node.value("pages", Json::array())) rows.push_back(page_row(pool));
    if (rows.size() == 1) return "";
    std::size_t width = 40;
    for (const Row& row : rows) width = std::max(width, row[0].size());
    std::string text;
    for (const Row& row : rows) text += format("  {:<{}} {:>9} {:>9}\n", row[0], width, row[1], row[2]);
    return text;
}

std::string node_text(const Json& node)
{
    std::string text = format("\n{}  {}\n", text_of(node, "node"), text_of(node, "stage"));
    for (const Json& refusal : node.value("refusals", Json::array()))
        text += format("  {} {}={}: {}; {}\n", text_of(refusal, "code"), text_of(refusal, "clause"),
                       text_of(refusal, "read"), text_of(refusal, "reason"), text_of(refusal, "hint"));
    const Json clauses = node.value("clauses", Json::array());
    if (!clauses.empty())
        text += format("  {:<34} {:>14} {:>14} {:>14}\n", "clause", "promised", "granted", "found");
    for (const Json& clause : clauses)
        text += format("  {:<34} {:>14} {:>14} {:>14}{}\n", text_of(clause, "clause"),
                       text_of(clause, "promised"), text_of(clause, "granted"), text_of(clause, "found"),
                       clause.value("enforced", true) ? "" : "  not enforced");
    if (node.contains("snapshots")) text += format("  snapshots: {}\n", memory_text(node["snapshots"]));
    text += found_table(node);
    for (const Json& lost : node.value("lost", Json::array()))
        text += format("  lost: {}\n", text_of(lost, "text"));
    if (node.contains("breach"))
        text += format("  breached: pid {} role {} promised {} found {}\n", text_of(node["breach"], "pid"),
                       text_of(node["breach"], "role"), text_of(node["breach"], "promised"),
                       text_of(node["breach"], "found"));
    return text;
}

constexpr auto three_lines = R"(  three lines of Python keep the promise:
    @mscale.mscale_contract                          # above def train(ctx):
    ctx.register(model=model, optimizer=optimizer)   # in it
    for step in ctx.steps(total):                    # as its loop
)";

/// Why snapshots that were promised aren't there, where it is the program that can mend it.
std::string unkept_text(const Json& job)
{
    const auto comment = contract::find_comment(text_of(job, "comment"));
    if (!comment) return "";
    std::string text;
    bool unkept = false;
    for (const auto& [key, value] : comment->fields) {
        unkept = unkept || (key == "code" && value == entry_of(Code::unregistered).id);
        if (key == "reason") text = value;
    }
    std::ranges::replace(text, '_', ' ');
    return unkept ? format("{}: {}\n{}", entry_of(Code::unregistered).id, text, three_lines) : "";
}

std::string job_text(const Json& job)
{
    const std::string state = text_of(job, "state");
    std::string text = format("job {}  {}  requeues {}\n", text_of(job, "job"),
                              state.empty() ? "(state not known here)" : state, text_of(job, "restarts"));
    text += format("contract {}\n", text_of(job, "contract"));
    text += unkept_text(job);
    if (const std::string clauses = joined(job, "unenforced"); !clauses.empty())
        text += "not enforced: " + clauses + "\n";
    if (const std::string nodes = joined(job, "silent"); !nodes.empty())
        text += "silent nodes: " + nodes + "\n";
    for (const Json& node : job.value("nodes", Json::array())) text += node_text(node);
    return text;
}

void print_jobs(const Json& jobs, bool json)
{
    if (json) {
        print_json(Json{{"mscale_status", 1}, {"jobs", jobs}});
        return;
    }
    if (jobs.empty()) print("no job with a contract on this node");
    for (const Json& job : jobs) print(job_text(job));
}

int fail_status(const Error& error, bool json)
{
    if (json) print_json(Json{{"mscale_status", 1}, {"jobs", Json::array()}, {"error", error_json(error)}});
    return report(error);
}

Error elsewhere(std::uint32_t job, const Error& error)
{
    const std::string where =
        job > 0 ? format("run it on a node of the job: srun --jobid={0} --overlap mscale status {0}", job)
                : "name a job, or run it on a node";
    return {error.code, error.text, where + "; on a node itself: systemctl start mscaled"};
}

/// No daemon of the job is at hand: slurmctld may still know what its nodes have posted.
int show_recorded(std::uint32_t id, const Error& from_daemon, bool json)
{
    const auto job = view_job(id);
    if (!job) return fail_status(from_daemon.code == Code::peer ? elsewhere(id, from_daemon) : from_daemon, json);
    const auto known = *job ? check_recorded(**job) : Result<contract::Comment>(job_is_gone(id));
    if (!known) return fail_status(known.error(), json);
    if (json)
        print_jobs(Json::array({recorded_json(**job, *known)}), json);
    else
        print(recorded_text(**job, *known));
    return 0;
}

int show_status(const StatusArguments& arguments, const Global& global)
{
    const auto site = contract::read_site(global.config);
    if (!site) return fail_status(site.error(), arguments.json);
    const auto job = read_job_number(arguments.job);
    if (!job) return fail_status(job.error(), arguments.json);
    Json request = {{"op", "status"}};
    if (*job > 0) request["job"] = *job;
    const auto answer = ask_daemon(*site, request);
    if (answer) {
        print_jobs(answer->value("jobs", Json::array()), arguments.json);
        return 0;
    }
    const Error& error = answer.error();
    if (*job > 0 && (error.code == Code::peer || error.code == Code::no_such_job))
        return show_recorded(*job, error, arguments.json);
    return fail_status(error.code == Code::peer ? elsewhere(*job, error) : error, arguments.json);
}

} // namespace

void add_status(CLI::App& app, const Global& global, Run& run)
{
    auto arguments = std::make_shared<StatusArguments>();
    CLI::App* command =
        app.add_subcommand("status", "Show what a job was promised and what the kernel says now");
    command->footer(status_footer);
    command->add_option("JOB", arguments->job, "job id; without it the jobs of this node");
    command->add_flag("--json", arguments->json, "print as JSON");
    command->callback([arguments, &global, &run] {
        run = [arguments, &global] { return show_status(*arguments, global); };
    });
}

} // namespace mscale::cli
