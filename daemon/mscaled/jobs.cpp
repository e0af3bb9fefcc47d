#include "daemon/mscaled/jobs.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "contract/parse.hpp"
#include "contract/refused_file.hpp"

namespace mscale::daemon {

namespace {

constexpr std::string_view refused_suffix = ".refused";

void read_contract(LocalJob& job, const std::string& canonical, const std::string& profiles)
{
    const auto parsed = contract::parse_contract(canonical, "ledger", contract::ProfileDirectory(profiles));
    job.on_breach = parsed.contract.on_breach.value_or(contract::OnBreach::fail);
    job.keeps_snapshots = contract::keeps_snapshots(parsed.contract.ft);
    if (job.keeps_snapshots)
        job.first_save = parsed.contract.ft.first_save.value_or(contract::default_first_save).count();
}

/// The ledger as the SPANK plugin's word corrects it: where mscale-node was missing, died or was late, its
/// refusals count, with or without a ledger.
Result<contract::LedgerRecord> read_record(const std::string& directory, std::uint32_t job_id)
{
    auto record = contract::read_ledger(directory, job_id);
    const auto refusals = contract::read_refused_file(directory, job_id);
    if (!refusals) return record;
    if (!record) {
        record = contract::LedgerRecord{};
        record->job_id = job_id;
    }
    record->stage = contract::Stage::refused;
    record->refusals = *refusals;
    return record;
}

/// The jobs that have a ledger or a file of refusals.
std::set<std::uint32_t> list_jobs(const std::string& directory)
{
    std::set<std::uint32_t> jobs;
    const auto ledgers = contract::list_ledgers(directory);
    if (ledgers) jobs.insert(ledgers->begin(), ledgers->end());
    const auto names = Root().list(directory);
    if (!names) return jobs;
    for (const std::string& name : *names) {
        const auto job_id = name.ends_with(refused_suffix)
                                ? parse_number(std::string_view(name).substr(0, name.find('.')))
                                : std::nullopt;
        if (job_id) jobs.insert(static_cast<std::uint32_t>(*job_id));
    }
    return jobs;
}

bool has_refused_step(const contract::LedgerRecord& record)
{
    return find_refused_step(record) != nullptr;
}

std::chrono::milliseconds read_clock()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
}

bool is_same_run(const contract::LedgerRecord& a, const contract::LedgerRecord& b)
{
    return a.started == b.started && a.restart_count == b.restart_count;
}

} // namespace

Jobs::Jobs(const contract::Site& site, Root root)
    : root_(std::move(root)), directory_(contract::ledger_directory(site.state)), profiles_(site.profiles),
      observe_(site.mode != contract::Mode::enforce)
{
}

const LocalJob* Jobs::find(std::uint32_t job_id) const
{
    const auto found = jobs_.find(job_id);
    return found == jobs_.end() ? nullptr : &found->second;
}

bool Jobs::read_job(std::uint32_t job_id, Changes& changes)
{
    auto record = read_record(directory_, job_id);
    if (!record && record.error().code == Code::no_such_job) return false;
    if (!record) return take_damage(job_id, record.error(), changes);
    auto tasks = contract::read_tasks(directory_, job_id);
    if (!tasks) return take_damage(job_id, tasks.error(), changes);
    damaged_.erase(job_id);
    take(job_id, std::move(*record), changes);
    LocalJob& job = jobs_[job_id];
    job.tasks = std::move(*tasks);
    const bool began = std::ranges::any_of(job.tasks, is_of_srun);
    if (began && !job.step_began && job.first_save > 0) changes.changed.push_back(job_id);
    job.step_began = began;
    return true;
}

bool Jobs::take(std::uint32_t job_id, contract::LedgerRecord record, Changes& changes)
{
    const bool fresh = !jobs_.contains(job_id) || !is_same_run(jobs_[job_id].record, record);
    LocalJob& job = jobs_[job_id];
    if (fresh) job = {};
    if (fresh || job.record.stage != record.stage || job.record.nodes != record.nodes ||
        has_refused_step(job.record) != has_refused_step(record))
        changes.changed.push_back(job_id);
    if (fresh) read_contract(job, record.contract, profiles_);
    job.run = contract::run_of(record);
    job.record = std::move(record);
    return true;
}

bool Jobs::take_damage(std::uint32_t job_id, const Error& error, Changes& changes)
{
    const LocalJob* const known = find(job_id);
    const unsigned times = ++damaged_[job_id];
    if (times == 1) log_error(format("the ledger of job {} is left alone", job_id), error);
    if (times == 1) return known != nullptr;
    contract::LedgerRecord record = known ? known->record : contract::LedgerRecord{};
    if (!known) record.observe = observe_;
    record.job_id = job_id;
    record.stage = contract::Stage::refused;
    record.refusals = {{error.code, "contract", "", error.text, error.cure}};
    return take(job_id, std::move(record), changes);
}

Jobs::Changes Jobs::refresh()
{
    Changes changes;
    std::set<std::uint32_t> present;
    for (const std::uint32_t id : list_jobs(directory_)) {
        if (read_job(id, changes)) present.insert(id);
    }
    for (const auto& [id, job] : jobs_) {
        if (!present.contains(id)) changes.gone.push_back(id);
    }
    for (const std::uint32_t id : changes.gone) jobs_.erase(id);
    return changes;
}

Jobs::Changes Jobs::refresh(std::uint32_t job_id)
{
    Changes changes;
    if (!read_job(job_id, changes) && jobs_.erase(job_id) > 0) changes.gone.push_back(job_id);
    return changes;
}

std::vector<std::uint32_t> Jobs::of_user(uid_t uid) const
{
    std::vector<std::uint32_t> ids;
    for (const auto& [id, job] : jobs_) {
        if (job.record.uid == uid) ids.push_back(id);
    }
    return ids;
}

void Jobs::look_at(LocalJob& job, const std::vector<contract::PagePlan>& others, Look& look)
{
    job.findings = read_findings(job.record, job.tasks, others);
    const bool ended = has_ended_step(job.findings);
    if (ended && !job.step_ended && job.first_save > 0) look.ended.push_back(job.record.job_id);
    job.step_ended = ended;
    const auto breach = find_breach(job.findings);
    if (!job.record.observe) look_at_parts(job, look);
    if (job.breach || job.record.observe) return;
    if (breach && breach == job.suspected) {
        job.breach = breach;
        look.broken.push_back(job.record.job_id);
    } else if (breach) {
        look.confirm = true;
    }
    job.suspected = breach;
}

void Jobs::look_for_stepd(LocalJob& job)
{
    const contract::StepRecord* const step = find_newest_step(job.record);
    if (!step || !has_left_tasks(*step, is_alive(step->stepd), job.findings)) return;
    for (PartFinding& finding : job.findings.parts)
        if (finding.part.kind == PartKind::stepd) finding.found = "gone";
}

void Jobs::look_at_parts(LocalJob& job, Look& look)
{
    GpuFaults faults = gpu_faults_;
    for (const std::string& pci : job.record.lost_gpus) faults.emplace(pci, "failed"); // before mscaled was started again
    job.findings.parts = read_parts(root_, list_parts(job.record, is_alive), faults);
    look_for_stepd(job);
    const auto seen = job.parts.look(job.findings.parts, read_clock());
    look.confirm = look.confirm || seen.confirm;
    if (seen.mended || !job.parts.lost().empty()) look.lossy.push_back(job.record.job_id);
    for (const PartFinding& gone : seen.gone) look.gone.emplace_back(job.record.job_id, gone);
}

Jobs::Look Jobs::look()
{
    std::vector<LocalJob*> oldest_first;
    for (auto& [id, job] : jobs_) {
        if (job.record.stage == contract::Stage::applied) oldest_first.push_back(&job);
    }
    std::stable_sort(oldest_first.begin(), oldest_first.end(), [](const LocalJob* a, const LocalJob* b) {
        return a->record.started < b->record.started;
    });
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

void Jobs::learn_restarts(std::uint32_t job_id, std::uint32_t restarts)
{
    const auto found = jobs_.find(job_id);
    if (found != jobs_.end()) found->second.restarts = restarts;
}

void Jobs::mark(std::uint32_t job_id, const Breach& breach)
{
    const auto found = jobs_.find(job_id);
    if (found != jobs_.end() && !found->second.breach) found->second.breach = breach;
}

bool Jobs::have_gpus() const
{
    return std::ranges::any_of(jobs_, [](const auto& entry) {
        return std::ranges::any_of(list_parts(entry.second.record, is_alive),
                                   [](const Part& part) { return part.kind == PartKind::gpu; });
    });
}

const LostPart* Jobs::lose(std::uint32_t job_id, const PartFinding& gone, const std::string& other)
{
    const auto found = jobs_.find(job_id);
    if (found == jobs_.end()) return nullptr;
    const contract::StepRecord* const step = find_newest_step(found->second.record);
    return found->second.parts.decide(gone, other, read_clock(),
                                      step ? std::optional(step->step_id) : std::nullopt);
}

} // namespace mscale::daemon
