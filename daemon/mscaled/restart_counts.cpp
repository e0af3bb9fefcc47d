#include "daemon/mscaled/restart_counts.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/post.hpp"

namespace mscale::daemon {

namespace {

/// The count is of the run that holds its nodes now: while a run is being ended it is the next one's already.
bool is_settled(const JobFacts& facts)
{
    return facts.running && !facts.completing;
}

} // namespace

void RestartCounts::follow()
{
    std::erase_if(asked_, [this](const auto& entry) { return !jobs_.find(entry.first); });
    for (const auto& [job_id, job] : jobs_.all()) {
        if (!job.keeps_snapshots || job.restarts) continue;
        const auto asked = asked_.find(job_id);
        if (asked != asked_.end() && asked->second == job.run) continue;
        asked_[job_id] = job.run;
        ask(job_id, job.run, 0);
    }
}

bool RestartCounts::is_wanted(std::uint32_t job_id, const contract::Run& run) const
{
    const LocalJob* job = jobs_.find(job_id);
    return job && job->run == run && !job->restarts;
}

void RestartCounts::ask(std::uint32_t job_id, const contract::Run& run, unsigned failures)
{
    slurm_.run<Result<JobFacts>>([load = load_, job_id] { return load(job_id); },
                                 [this, job_id, run, failures](const Result<JobFacts>& facts) {
                                     take(job_id, run, failures, facts);
                                 });
}

void RestartCounts::take(std::uint32_t job_id, const contract::Run& run, unsigned failures,
                         const Result<JobFacts>& facts)
{
    if (!is_wanted(job_id, run)) return;
    if (facts && is_settled(*facts)) return jobs_.learn_restarts(job_id, facts->restarts);
    if (!facts) log_error(format("job {}: which run of it begins isn't known yet", job_id), facts.error());
    loop_.after(retry_delay(failures + 1), [this, job_id, run, failures] {
        if (is_wanted(job_id, run)) ask(job_id, run, failures + 1);
    });
}

} // namespace mscale::daemon
