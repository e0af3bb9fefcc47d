#include "daemon/requeue/preemptions.hpp"

#include "base/log.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::milliseconds preemption_interval{100};
constexpr std::chrono::milliseconds follow_interval{10}; // the script ends as soon as its ranks have

} // namespace

Preemptions::Preemptions(Loop& loop, const Jobs& jobs, View view, PreemptionController controller)
    : loop_(loop), jobs_(jobs), view_(std::move(view)), controller_(std::move(controller)), slurm_(loop)
{
    loop_.every(preemption_interval, [this] { look(); });
}

/// slurmctld is asked while the last snapshot is still being copied, so that no time is lost afterwards.
void Preemptions::look()
{
    std::erase_if(asked_, [this](const auto& entry) { return !jobs_.find(entry.first); });
    for (const auto& [job_id, job] : jobs_.all()) {
        const bool is_mine = !job.record.nodes.empty() && job.record.nodes.front() == view_.self();
        if (!is_mine || !job.keeps_snapshots || job.record.observe) continue;
        const auto exit = view_.exit(job_id);
        const auto asked = asked_.find(job_id);
        if (exit && exit->step && (asked == asked_.end() || asked->second != exit->run)) ask(job_id, *exit);
    }
}

void Preemptions::ask(std::uint32_t job_id, const JobExit& exit)
{
    asked_[job_id] = exit.run;
    slurm_.run<Result<bool>>([this, job_id] { return controller_.is_to_requeue(job_id); },
                             [this, job_id, exit](const Result<bool>& answer) {
                                 if (!answer) log_error(format("job {} is to end", job_id), answer.error());
                                 if (answer.value_or(false)) follow(job_id, exit);
                             });
}

void Preemptions::follow(std::uint32_t job_id, const JobExit& exit)
{
    const auto now = view_.exit(job_id);
    if (!jobs_.find(job_id) || !now || now->run != exit.run) return;
    const auto committed = view_.committed(job_id);
    const bool is_saved = committed && committed->incarnation == exit.run && committed->step >= *exit.step;
    if (!is_saved)
        return void(loop_.after(follow_interval, [this, job_id, exit] { follow(job_id, exit); }));
    if (!view_.is_attached(job_id)) requeue(job_id);
}

void Preemptions::requeue(std::uint32_t job_id)
{
    slurm_.run<Result<void>>([this, job_id] { return controller_.requeue(job_id); },
                             [job_id](const Result<void>& requeued) {
                                 if (!requeued) return log_error(format("job {} is preempted", job_id), requeued.error());
                                 log_line(Level::info, format("job {} is preempted, has saved and is requeued", job_id));
                             });
}

} // namespace mscale::daemon
