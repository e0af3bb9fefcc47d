// mscale status: what was promised, what was granted, what the kernel says now.
#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/daemon_client.hpp"
#include "cli/output.hpp"

namespace mscale::cli {
namespace {

struct StatusArguments {
    std::uint32_t job = 0;
    bool json = false;
};

constexpr auto footer = R"(A job is shown to its owner and to root.

Examples:
  mscale status            the jobs of this node
  mscale status 4711
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

std::string page_text(const Json& pages)
{
    const std::string where =
        pages.contains("mount") ? text_of(pages, "mount") : format("node {}", text_of(pages, "numa"));
    return format(
        "  {:<40} {:>9} {:>9}\n",
        format("huge pages of {} on {}", format_bytes(pages.value("page_bytes", std::uint64_t{0})), where),
        text_of(pages, "promised"), text_of(pages, "found"));
}

std::string process_text(const Json& process)
{
    const std::string role = text_of(process, "role");
    const std::string found = text_of(process, "found");
    return format("  {:<40} {:>9} {:>9}\n",
                  format("{} (pid {})", role.empty() ? "task " + text_of(process, "task") : role,
                         text_of(process, "pid")),
                  text_of(process, "promised"), found.empty() ? "ended" : found);
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
    const Json processes = node.value("processes", Json::array()), pages = node.value("pages", Json::array());
    if (!processes.empty() || !pages.empty())
        text += format("  {:<40} {:>9} {:>9}\n", "", "promised", "found");
    for (const Json& process : processes) text += process_text(process);
    for (const Json& pool : pages) text += page_text(pool);
    if (node.contains("breach"))
        text += format("  breached: pid {} role {} promised {} found {}\n", text_of(node["breach"], "pid"),
                       text_of(node["breach"], "role"), text_of(node["breach"], "promised"),
                       text_of(node["breach"], "found"));
    return text;
}

std::string job_text(const Json& job)
{
    const std::string state = text_of(job, "state");
    std::string text = format("job {}  {}  restarts {}\n", text_of(job, "job"),
                              state.empty() ? "(state not known here)" : state, text_of(job, "restarts"));
    text += format("contract {}\n", text_of(job, "contract"));
    if (const std::string clauses = joined(job, "unenforced"); !clauses.empty())
        text += "not enforced: " + clauses + "\n";
    if (const std::string nodes = joined(job, "silent"); !nodes.empty())
        text += "silent nodes: " + nodes + "\n";
    for (const Json& node : job.value("nodes", Json::array())) text += node_text(node);
    return text;
}

int show_status(const StatusArguments& arguments, const Global& global)
{
    const auto site = contract::read_site(global.config);
    if (!site) return report(site.error());
    Json request = {{"op", "status"}};
    if (arguments.job > 0) request["job"] = arguments.job;
    const auto answer = ask_daemon(*site, request);
    if (!answer) return report(answer.error());
    const Json jobs = answer->value("jobs", Json::array());
    if (arguments.json) {
        print_json(Json{{"mscale_status", 1}, {"jobs", jobs}});
        return 0;
    }
    if (jobs.empty()) print("no job with a contract on this node");
    for (const Json& job : jobs) print(job_text(job));
    return 0;
}

} // namespace

void add_status(CLI::App& app, const Global& global, Run& run)
{
    auto arguments = std::make_shared<StatusArguments>();
    CLI::App* command =
        app.add_subcommand("status", "Show what a job was promised and what the kernel says now");
    command->footer(footer);
    command->add_option("JOB", arguments->job, "job id; without it the jobs of this node")
        ->check(CLI::PositiveNumber);
    command->add_flag("--json", arguments->json, "print as JSON");
    command->callback([arguments, &global, &run] {
        run = [arguments, &global] { return show_status(*arguments, global); };
    });
}

} // namespace mscale::cli
