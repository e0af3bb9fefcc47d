#include "cli/recorded_job.hpp"

#include <limits>

#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::cli {

Result<std::uint32_t> read_job_number(const std::string& text)
{
    if (text.empty()) return 0;
    const auto number = parse_number(text);
    if (number && *number > 0 && *number < std::numeric_limits<std::uint32_t>::max())
        return static_cast<std::uint32_t>(*number);
    return failure(Code::usage, format("a job number is expected, not '{}'", printable(text)),
                   "give the plain JobId that sbatch, squeue or scontrol show job prints, as in 4711");
}

Result<contract::Comment> check_recorded(const SlurmJob& job)
{
    if (auto comment = contract::find_comment(job.admin_comment)) return std::move(*comment);
    return failure(
        Code::no_such_job,
        format("job {} ({}) has no contract: slurmctld knows it, and its AdminComment has no line of "
               "mscale",
               job.id, job.state),
        "submit it with --mscale-contract");
}

tl::unexpected<Error> job_is_gone(std::uint32_t id)
{
    return failure(Code::no_such_job,
                   format("job {} is over or was never here: slurmctld doesn't know it", id),
                   format("sacct -P -o JobID,State,AdminComment -j {} tells what was posted", id));
}

namespace {

bool is_over(const SlurmJob& job)
{
    return job.state != "PENDING" && job.state != "RUNNING" && job.state != "SUSPENDED";
}

/// slurmctld takes no word after the end of a job, so that the last one it has may speak of what was given back since: only
/// accounting is told of the release.
contract::State state_now(const SlurmJob& job, contract::State last)
{
    using enum contract::State;
    return is_over(job) && (last == granted || last == honoured || last == recovering) ? released : last;
}

} // namespace

std::string recorded_text(const SlurmJob& job, const contract::Comment& comment)
{
    const contract::State now = state_now(job, comment.state);
    const std::string before = now == comment.state ? "" : format(", {} while it ran", to_string(comment.state));
    std::string text = format("job {}  {}{}\nSlurm's state {}{}\n", job.id, to_string(now), before, job.state,
                              job.nodes.empty() ? "" : " on " + job.nodes);
    for (const auto& [key, value] : comment.fields) text += format("  {:<20} {}\n", key, value);
    text += "this is what slurmctld knows; ";
    if (!job.is_running) return text + "only mscaled on a node of a running job knows more\n";
    return text + format("only mscaled on a node of the job knows more: "
                         "srun --jobid={0} --overlap mscale status {0}\n",
                         job.id);
}

Json recorded_json(const SlurmJob& job, const contract::Comment& comment)
{
    Json fields = Json::object();
    for (const auto& [key, value] : comment.fields) fields[key] = value;
    return {{"job", job.id},
            {"state", to_string(state_now(job, comment.state))},
            {"last_state", to_string(comment.state)},
            {"source", "slurmctld"},
            {"comment", to_string(comment)},
            {"fields", fields},
            {"slurm_state", job.state},
            {"node_list", job.nodes},
            {"nodes", Json::array()}};
}

} // namespace mscale::cli
