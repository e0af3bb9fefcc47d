#include "daemon/mscaled/jobs.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"
#include "contract/parse.hpp"
#include "daemon/mscaled/watch.hpp"

namespace mscale::daemon {

namespace {

contract::OnBreach read_on_breach(const std::string& canonical, const std::string& profiles)
{
    const auto parsed = contract::parse_contract(canonical, "ledger", contract::ProfileDirectory(profiles));
    return parsed.contract.on_breach.value_or(contract::OnBreach::fail);
}

bool is_same_run(const contract::LedgerRecord& a, const contract::LedgerRecord& b)
{
    return a.started == b.started && a.restart_count == b.restart_count;
}

} // namespace

Jobs::Jobs(const contract::Site& site) : directory_(site.state + "/jobs"), profiles_(site.profiles) {}

const LocalJob* Jobs::find(std::uint32_t job_id) const
{
    const auto found = jobs_.find(job_id);
    return found == jobs_.end() ? nullptr : &found->second;
}

bool Jobs::read_job(std::uint32_t job_id, Changes& changes)
{
    auto record = contract::read_ledger(directory_, job_id);
    if (!record) {
        const bool gone = record.error().code == Code::no_such_job;
        if (!gone && damaged_.insert(job_id).second) log_error(format("the ledger of job {} is left alone", job_id), record.error());
        return !gone && jobs_.contains(job_id);
    }
    damaged_.erase(job_id);
    LocalJob& job = jobs_[job_id];
    const bool fresh = !is_same_run(job.record, *record);
    if (fresh) job = {};
    if (fresh || job.record.stage != record->stage || job.record.nodes != record->nodes) changes.changed.push_back(job_id);
    if (fresh) job.on_breach = read_on_breach(record->contract, profiles_);
    job.record = std::move(*record);
    job.tasks = contract::read_tasks(directory_, job_id).value_or(std::vector<contract::TaskRecord>{});
    return true;
}

Jobs::Changes Jobs::refresh()
{
    Changes changes;
    const auto ids = contract::list_ledgers(directory_);
    if (!ids) return changes;
    std::set<std::uint32_t> present;
    for (const std::uint32_t id : *ids) {
        if (read_job(id, changes)) present.insert(id);
    }
    for (const auto& [id, job] : jobs_) {
        if (!present.contains(id)) changes.gone.push_back(id);
    }
    for (const std::uint32_t id : changes.gone) jobs_.erase(id);
    return changes;
}

void Jobs::look_at(LocalJob& job, const std::vector<contract::PagePlan>& others, Look& look)
{
    job.findings = read_findings(job.record, job.tasks, others);
    const auto breach = find_breach(job.findings);
    if (job.breach || job.record.observe) return;
    if (breach && breach == job.suspected) {
        job.breach = breach;
        look.broken.push_back(job.record.job_id);
    } else if (breach) {
        look.confirm = true;
    }
    job.suspected = breach;
}

Jobs::Look Jobs::look()
{
    std::vector<LocalJob*> oldest_first;
    for (auto& [id, job] : jobs_) {
        if (job.record.stage == contract::Stage::applied) oldest_first.push_back(&job);
    }
    std::stable_sort(oldest_first.begin(), oldest_first.end(),
                     [](const LocalJob* a, const LocalJob* b) { return a->record.started < b->record.started; });
    Look look;
    std::vector<contract::PagePlan> held;
    for (LocalJob* job : oldest_first) {
        look_at(*job, held, look);
        held.insert(held.end(), job->record.plan.pages.begin(), job->record.plan.pages.end());
    }
    return look;
}

std::vector<JobPlaces> Jobs::places() const
{
    std::vector<JobPlaces> places;
    for (const auto& [id, job] : jobs_) {
        places.push_back({id, job.record.uid, job.record.stage, job.record.steps, job.tasks});
    }
    return places;
}

void Jobs::mark(std::uint32_t job_id, const Breach& breach)
{
    const auto found = jobs_.find(job_id);
    if (found != jobs_.end() && !found->second.breach) found->second.breach = breach;
}

} // namespace mscale::daemon
