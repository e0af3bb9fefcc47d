#include "daemon/mscaled/posts.hpp"

#include "base/log.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {
constexpr std::chrono::seconds gap{1}; // between two postings of one job
}

void Posts::submit(std::uint32_t job_id, const Judgement& judgement)
{
    Entry& entry = entries_[job_id];
    entry.wanted = judgement;
    if (!entry.busy && !(entry.posted && is_same_post(*entry.posted, judgement))) start(job_id);
}

void Posts::forget(std::uint32_t job_id)
{
    entries_.erase(job_id);
}

void Posts::start(std::uint32_t job_id)
{
    Entry& entry = entries_.at(job_id);
    entry.busy = true;
    slurm_.run<Result<Posted>>([job_id, wanted = entry.wanted] { return post_judgement(job_id, wanted); },
                               [this, job_id, wanted = entry.wanted](const Result<Posted>& posted) {
                                   finish(job_id, wanted, posted);
                               });
}

void Posts::start_after(std::chrono::milliseconds delay, std::uint32_t job_id)
{
    loop_.after(delay, [this, job_id] {
        const auto found = entries_.find(job_id);
        if (found == entries_.end()) return;
        found->second.busy = false;
        const Entry& entry = found->second;
        if (!(entry.posted && is_same_post(*entry.posted, entry.wanted))) start(job_id);
    });
}

void Posts::finish(std::uint32_t job_id, const Judgement& tried, const Result<Posted>& posted)
{
    const auto found = entries_.find(job_id);
    if (found == entries_.end()) return;
    if (!posted) {
        log_error(format("job {}", job_id), posted.error());
        return start_after(retry_delay(++found->second.failures), job_id);
    }
    found->second.failures = 0;
    found->second.posted = tried;
    if (posted->outcome == PostOutcome::posted) {
        log_line(Level::info, format("job {}: {}", job_id, contract::to_string(tried.comment)));
    }
    start_after(gap, job_id);
    ended_(job_id, tried, *posted);
}

} // namespace mscale::daemon
