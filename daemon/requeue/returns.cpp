#include "daemon/requeue/returns.hpp"

#include <ctime>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds look_interval = 100ms, turn_interval = 50ms, later_interval = 500ms;
constexpr std::chrono::seconds soon = 10s; // until when each moment counts
constexpr std::chrono::seconds patience = 90s; // for the old run's nodes to be cleared: its tasks have KillWait
// While slurmdbd gives the requeued job its next number, slurmctld answers an update with a pause of a whole second.
constexpr std::chrono::milliseconds numbering = 150ms;
constexpr std::chrono::seconds slurms_own_requeue = 5s; // which follows at once where Slurm does it

} // namespace

Returns::Returns(Loop& loop, const Jobs& jobs, View view, JobController controller)
    : loop_(loop), jobs_(jobs), view_(std::move(view)), controller_(std::move(controller)), slurm_(loop)
{
    loop_.every(look_interval, [this] { look(); });
}

void Returns::look()
{
    std::erase_if(seen_, [this](const auto& entry) { return !jobs_.find(entry.first); });
    for (const auto& [job_id, job] : jobs_.all())
        if (job.keeps_snapshots && job.restarts && !job.record.observe) look_at(job);
}

void Returns::look_at(const LocalJob& job)
{
    const std::uint32_t job_id = job.record.job_id;
    const auto view = view_.job(job_id);
    if (!view || view->dead.empty()) return;
    const ReturnPlan plan = plan_return(*view, view_.self(), view_.is_attached(job_id));
    if (!plan.acts) return;
    auto& [run, nodes] = seen_[job_id];
    if (run != job.run) run = job.run, nodes.clear();
    bool news = false;
    for (const DeadNode& dead : view->dead) news = nodes.insert(dead.node).second || news;
    if (!news) return;
    turn(std::make_shared<Return>(
        Return{job_id, *job.restarts, plan, std::chrono::steady_clock::now(), false, false, {}, false, false}));
}

void Returns::turn(const std::shared_ptr<Return>& job)
{
    slurm_.run<Result<ReturnStep>>([this, job] { return act(*job); },
                                   [this, job](const Result<ReturnStep>& step) { go_on(job, step); });
}

/// Does what is due and says what it was.  On the thread that waits for slurmctld.
Result<ReturnStep> Returns::act(Return& job) const
{
    const auto facts = controller_.load(job.job_id);
    if (!facts && facts.error().code == Code::no_such_job) return ReturnStep::end;
    if (!facts) return tl::unexpected(facts.error());
    const auto now = std::chrono::steady_clock::now();
    job.waits = job.waits || facts->pending;
    const ReturnStep step = next_step(*facts, job.restarts, job.plan, job.asked, std::time(nullptr));
    if (step == ReturnStep::hurry && !job.hurries_after) job.hurries_after = now + numbering;
    if (step == ReturnStep::hurry && now < *job.hurries_after) return ReturnStep::look;
    Result<void> done;
    if (step == ReturnStep::requeue) done = controller_.requeue(job.job_id);
    if (step == ReturnStep::hurry) done = controller_.hurry(job.job_id);
    if (!done) return tl::unexpected(done.error());
    job.asked = job.asked || step == ReturnStep::requeue;
    return step;
}

void Returns::go_on(const std::shared_ptr<Return>& job, const Result<ReturnStep>& step)
{
    if (step && *step == ReturnStep::end) return;
    if (step && *step == ReturnStep::requeue)
        log_line(Level::info, format("job {} has lost a node and is requeued", job->job_id));
    if ((job->asked || job->waits) && !std::exchange(job->has_ended_ranks, true)) view_.end_ranks(job->job_id);
    const bool news = !step || *step == ReturnStep::hurry;
    if (news && !std::exchange(job->told, true)) {
        if (!step) log_error(format("job {} comes back after the loss of a node", job->job_id), step.error());
        if (step) log_line(Level::info, format("job {} has lost a node and may begin again at once", job->job_id));
    }
    const auto limit = job->plan.requeue || job->waits ? patience : slurms_own_requeue;
    const auto passed = std::chrono::steady_clock::now() - job->began;
    if (passed < limit) loop_.after(passed < soon ? turn_interval : later_interval, [this, job] { turn(job); });
}

} // namespace mscale::daemon
