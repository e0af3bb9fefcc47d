#include "daemon/requeue/departed_jobs.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"
#include "contract/kept_job.hpp"
#include "daemon/mscaled/post.hpp"

namespace mscale::daemon {

std::vector<std::uint32_t> choose_freed(std::vector<DepartedMemory> oldest_first, std::uint64_t limit)
{
    std::uint64_t total = 0;
    for (const DepartedMemory& memory : oldest_first) total += memory.bytes;
    std::vector<std::uint32_t> freed;
    for (const DepartedMemory& memory : oldest_first) {
        if (total <= limit) break;
        if (memory.bytes == 0) continue;
        total -= memory.bytes;
        freed.push_back(memory.job_id);
    }
    return freed;
}

void DepartedJobs::leave(std::uint32_t job_id)
{
    entries_[job_id] = {next_++};
    ask(job_id);
}

void DepartedJobs::look()
{
    std::vector<std::uint32_t> jobs;
    for (const auto& [job_id, entry] : entries_) jobs.push_back(job_id);
    for (const std::uint32_t job_id : jobs) ask(job_id);
}

void DepartedJobs::ask(std::uint32_t job_id)
{
    Entry& entry = entries_[job_id];
    if (entry.asking) return;
    entry.asking = true;
    slurm_.run<Result<JobFacts>>([load = load_, job_id] { return load(job_id); },
                                 [this, job_id](const Result<JobFacts>& facts) { take(job_id, facts); });
}

void DepartedJobs::take(std::uint32_t job_id, const Result<JobFacts>& facts)
{
    const auto found = entries_.find(job_id);
    if (found == entries_.end()) return;
    found->second.asking = false;
    if (jobs_.find(job_id)) return void(entries_.erase(found)); // it is back
    if (!facts && facts.error().code != Code::no_such_job) return ask_later(job_id, facts.error());
    if (found->second.spilling) return;
    if (facts && !facts->completed && !found->second.spilled) return spill(job_id);
    if (facts && !facts->ended) {
        found->second.failures = 0;
        found->second.stays = true;
        learn_held(found->second, *facts);
        return keep_within_limit();
    }
    entries_.erase(found);
    snapshots_.forget(job_id);
    if (const auto removed = contract::remove_kept_job(site_.state, job_id); !removed)
        log_error(format("job {}", job_id), removed.error());
}

/// After a prolog that failed Slurm holds the job, whoever's fault it was: that is told where its user looks.
void DepartedJobs::learn_held(Entry& entry, const JobFacts& facts)
{
    if (entry.held == facts.held) return;
    entry.held = facts.held;
    if (facts.held)
        log_line(Level::info, format("job {} is held: its snapshots stay until it is released or cancelled", facts.job_id));
    slurm_.run<Result<void>>([tell = tell_, facts] { return tell(facts); },
                             [job_id = facts.job_id](const Result<void>& told) {
                                 if (!told) log_error(format("job {}", job_id), told.error());
                             });
}

void DepartedJobs::spill(std::uint32_t job_id)
{
    Entry& entry = entries_[job_id];
    entry.spilling = entry.spilled = true;
    snapshots_.spill(job_id, [this, job_id, order = entry.order] {
        const auto found = entries_.find(job_id);
        if (found == entries_.end() || found->second.order != order) return; // it is back, or has been and left again
        found->second.spilling = false;
        ask(job_id);
    });
}

void DepartedJobs::ask_later(std::uint32_t job_id, const Error& error)
{
    Entry& entry = entries_[job_id];
    if (entry.failures == 0)
        log_error(format("job {} has left; what is kept of it stays until slurmctld answers", job_id), error);
    loop_.after(retry_delay(++entry.failures), [this, job_id] {
        if (entries_.contains(job_id)) ask(job_id);
    });
}

void DepartedJobs::keep_within_limit()
{
    using Order = std::pair<bool, std::uint64_t>;
    std::vector<std::pair<Order, DepartedMemory>> staying;
    for (const auto& [job_id, entry] : entries_)
        if (entry.stays) staying.push_back({{entry.held, entry.order}, {job_id, snapshots_.count_bytes(job_id)}});
    std::ranges::sort(staying, {}, &std::pair<Order, DepartedMemory>::first);
    std::vector<DepartedMemory> oldest_first;
    for (const auto& [order, memory] : staying) oldest_first.push_back(memory);
    for (const std::uint32_t job_id : choose_freed(oldest_first, site_.held_memory)) {
        log_line(Level::info,
                 format("job {} may run again, but its snapshots go: {} MiB, and [recovery] held_memory is {} MiB", job_id,
                        snapshots_.count_bytes(job_id) >> 20, site_.held_memory >> 20));
        snapshots_.free_memory(job_id);
    }
}

} // namespace mscale::daemon
