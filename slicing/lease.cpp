#include "slicing/lease.hpp"

#include <map>

#include "base/log.hpp"
#include "base/text.hpp"
#include "slicing/dead_route.hpp"
#include "slicing/hugepages.hpp"
#include "slicing/hugetlbfs.hpp"
#include "slicing/leftovers.hpp"

namespace mscale::slicing {
namespace {

using contract::Act;
using contract::LedgerRecord;
using contract::PagePlan;
using contract::Stage;

constexpr std::chrono::seconds release_patience{
    10}; ///< for the node's lock: growth of another job may take its time

/// Undoing needs time as well, so acts end at three quarters of the deadline.
Clock::time_point acts_until(const contract::Site& site)
{
    return Clock::now() + site.apply_deadline * 3 / 4;
}

/// The faults of a contract or of its time, not of the node.
bool is_refusal(const Error& error)
{
    return error.code == Code::apply_hugepages || error.code == Code::deadline;
}

contract::Refusal refusal_of(const Error& error, const LedgerRecord& record)
{
    std::vector<std::string> asked;
    for (const PagePlan& pages : record.plan.pages)
        asked.push_back(format("{}kB*{}", pages.page_bytes >> 10, pages.count));
    return {error.code, "role.hugepages", join(asked, ","), error.text, error.cure};
}

/// One run of acts.  Each is in the ledger before it is done.
class Acts {
public:
    Acts(const Ledger& ledger, LedgerRecord& record, const contract::Site& site)
        : ledger_(ledger), record_(record), site_(site), until_(acts_until(site))
    {
    }

    /// Growth and the mounts that reserve the pages are one act under the node's lock.
    Result<void> take_huge_pages()
    {
        if (record_.plan.pages.empty()) return {};
        auto pages = HugePages::open(Root(), site_.state, until_);
        if (!pages) return tl::unexpected(pages.error());
        for (const PagePlan& plan : record_.plan.pages)
            if (const auto taken = take(*pages, plan); !taken) return taken;
        for (const auto& [page_bytes, count] : totals())
            if (const auto mounted = mount(page_bytes, count); !mounted) return mounted;
        return {};
    }

private:
    Result<void> note(Act act)
    {
        record_.acts.push_back(std::move(act));
        return ledger_.write(record_);
    }

    Result<void> take(HugePages& pages, const PagePlan& plan)
    {
        const auto missing = pages.count_missing(plan);
        if (!missing) return tl::unexpected(missing.error());
        if (*missing > 0 && !site_.grow)
            return failure(
                Code::apply_hugepages,
                format("NUMA node {} has {} of {} huge pages of {} free and the site doesn't let them grow",
                       plan.numa, plan.count - *missing, plan.count, format_bytes(plan.page_bytes)));
        const auto noted = note({"hugepages", plan.page_bytes, *missing, plan.numa, ""});
        if (!noted) return noted;
        return pages.take(record_.job_id, plan, *missing, until_);
    }

    std::map<std::uint64_t, std::uint64_t> totals() const
    {
        std::map<std::uint64_t, std::uint64_t> counts;
        for (const PagePlan& plan : record_.plan.pages) counts[plan.page_bytes] += plan.count;
        return counts;
    }

    Result<void> mount(std::uint64_t page_bytes, std::uint64_t count)
    {
        const std::string path = huge_mount_path(site_.state, record_.job_id, page_bytes);
        if (const auto noted = note({"mount", page_bytes, count, 0, path}); !noted) return noted;
        return mount_huge_pages({path, page_bytes, count, record_.uid, record_.gid});
    }

    const Ledger& ledger_;
    LedgerRecord& record_;
    const contract::Site& site_;
    Clock::time_point until_;
};

Result<void> give_back_pages(std::uint32_t job_id, const contract::Site& site)
{
    auto pages = HugePages::open(Root(), site.state, Clock::now() + release_patience);
    if (!pages) return tl::unexpected(pages.error());
    return pages->give_back(job_id);
}

void keep_first_error(Result<void>& done, const Result<void>& next)
{
    if (done) done = next;
}

/// The acts of a record, newest first, and then whatever else lies where a job's things are, since a record may
/// be torn or lost.  Claims go last: they are of the job and not of an act, and its mounts reserve the pages.
/// Each thing is tried though another failed; the first error is told.
Result<void> undo(const std::vector<Act>& acts, std::uint32_t job_id, const contract::Site& site)
{
    Result<void> done;
    for (auto act = acts.rbegin(); act != acts.rend(); ++act) {
        if (act->kind == "mount") keep_first_error(done, unmount_huge_page_mount(act->path));
        if (act->kind == "route") keep_first_error(done, remove_dead_route(act->path));
    }
    keep_first_error(done, unmount_huge_pages(site.state, job_id));
    keep_first_error(done, give_back_pages(job_id, site));
    return done;
}

Result<LedgerRecord> refuse(const Ledger& ledger, LedgerRecord record, const contract::Site& site,
                            const Error& error)
{
    const auto undone = undo(record.acts, record.job_id, site);
    if (undone) record.acts.clear();
    if (!undone) log_error(format("job {}", record.job_id), undone.error());
    record.stage = Stage::refused;
    record.refusals.push_back(refusal_of(error, record));
    if (const auto written = ledger.write(record); !written) return tl::unexpected(written.error());
    if (is_refusal(error)) return record;
    return tl::unexpected(error);
}

/// Whose processes they were isn't known without the record, and which not without the tasks.
void tell_nothing_is_killed(std::uint32_t job_id, const Error& error)
{
    if (error.code == Code::no_such_job) return;
    log_error(format("job {} is released, but what it left running isn't killed", job_id), error);
}

Result<void> kill_what_is_left(const Ledger& ledger, const Result<LedgerRecord>& record)
{
    const auto tasks = contract::read_tasks(ledger.directory(), ledger.job_id());
    if (!record) tell_nothing_is_killed(ledger.job_id(), record.error());
    if (!tasks) tell_nothing_is_killed(ledger.job_id(), tasks.error());
    if (!record || !tasks) return {};
    return kill_leftovers(*tasks, record->uid);
}

/// A record that can't be read is removed all the same.
Result<void> mark_releasing(const Ledger& ledger, const Result<LedgerRecord>& record)
{
    if (!record || record->stage == Stage::releasing) return {};
    LedgerRecord marked = *record;
    marked.stage = Stage::releasing;
    return ledger.write(marked);
}

} // namespace

Result<LedgerRecord> apply(const Ledger& ledger, LedgerRecord record, const contract::Site& site)
{
    record.stage = Stage::planned;
    record.acts.clear();
    if (const auto written = ledger.write(record); !written) return tl::unexpected(written.error());
    const auto taken = Acts(ledger, record, site).take_huge_pages();
    if (!taken) return refuse(ledger, std::move(record), site, taken.error());
    record.stage = Stage::applied;
    if (const auto written = ledger.write(record); !written)
        return refuse(ledger, std::move(record), site, written.error());
    return record;
}

Result<void> release(const Ledger& ledger, const contract::Site& site)
{
    const auto record = ledger.read();
    const auto marked = mark_releasing(ledger, record);
    const auto killed = kill_what_is_left(ledger, record);
    const auto undone = undo(record ? record->acts : std::vector<Act>(), ledger.job_id(), site);
    if (!undone) return failure(Code::release_incomplete, undone.error().text);
    if (!killed) return killed;
    if (!marked) return marked;
    return ledger.remove();
}

} // namespace mscale::slicing
