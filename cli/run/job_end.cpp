#include "cli/run/job_end.hpp"

#include <cstring>

#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::cli {
namespace {

/// What becomes of the training.
std::string describe_way_on(const ToldRun& run)
{
    const std::string who = run.end.requeued || run.end.requeues ? "the job is requeued and" : "the job's next run";
    if (!run.committed) return format("no snapshot is committed: {} begins at the beginning", who);
    const std::string from = format("{} goes on with step {}", who, *run.committed + 1);
    return run.last_step == run.committed ? from : format("step {} is committed: {}", *run.committed, from);
}

std::string describe_leaving(const ToldRun& run)
{
    if (!run.last_step) return format("the ranks ended with exit code {} before a last snapshot", run.status);
    const bool is_committed = run.last_step == run.committed;
    return format("all ranks left after step {}, which is {}", *run.last_step, is_committed ? "committed" : "not committed");
}

} // namespace

std::string name_signal(int signal)
{
    const char* const name = ::sigabbrev_np(signal);
    return name != nullptr ? format("SIG{}", name) : format("signal {}", signal);
}

std::string describe(const ToldRun& run)
{
    const std::string cause = run.end.cause.empty() ? "" : format(" ({})", run.end.cause);
    return format("told to end by {}{}: {}; {}", name_signal(run.signal), cause, describe_leaving(run), describe_way_on(run));
}

JobEnd read_job_end(const Json& answer)
{
    return {answer.value("cause", ""), answer.value("requeued", false), answer.value("requeues", false), answer.contains("cause")};
}

} // namespace mscale::cli
