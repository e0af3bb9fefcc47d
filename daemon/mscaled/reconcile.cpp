#include "daemon/mscaled/reconcile.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/child.hpp"
#include "daemon/mscaled/findings.hpp"
#include "slicing/held_jobs.hpp"
#include "slicing/route_lease.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::seconds second_look{5};
constexpr std::chrono::minutes release_deadline{2};

/// A slurmstepd of srun whose tasks have ended goes before the step does, which Slurm believes to run until it has ended on all
/// nodes; and of a step that lost two nodes at once Slurm never learns that it has.
bool may_have_stepd(const contract::TaskRecord& task)
{
    return !is_step_of_srun(task.step_id) || is_alive(task.process);
}

} // namespace

std::vector<std::string> release_command(const std::string& program, const std::string& config,
                                         const DeadJob& job)
{
    return {program,      "--config",
            config,       "release",
            "--job",      std::to_string(job.job_id),
            "--started",  std::to_string(job.run.started),
            "--restarts", std::to_string(job.run.restarts)};
}

Reconcile::Reconcile(Loop& loop, const contract::Site& site, std::string config, Jobs& jobs, Cluster& cluster,
                     StateWriter& states, Worker& slurm, Worker& node, Lost lost, Unprepared unprepared)
    : loop_(loop), site_(site), config_(std::move(config)), jobs_(jobs), cluster_(cluster), states_(states),
      slurm_(slurm), node_(node), lost_(std::move(lost)), unprepared_(std::move(unprepared))
{
}

std::vector<KnownJob> Reconcile::known() const
{
    std::vector<KnownJob> known;
    for (const auto& [job_id, job] : jobs_.all()) {
        std::set<std::uint32_t> steps;
        for (const contract::TaskRecord& task : job.tasks)
            if (may_have_stepd(task)) steps.insert(task.step_id);
        if (job.record.observe) steps.clear();
        known.push_back({job_id, {steps.begin(), steps.end()}, job.run});
    }
    for (const std::uint32_t job_id : states_.jobs()) {
        if (!jobs_.find(job_id)) known.push_back({job_id, {}});
    }
    return known;
}

std::vector<std::uint32_t> Reconcile::strangers() const
{
    std::set<std::uint32_t> jobs;
    for (const StepName& step : list_stepds()) {
        if (!jobs_.find(step.job_id) && !states_.find(step.job_id)) jobs.insert(step.job_id);
    }
    return {jobs.begin(), jobs.end()};
}

void Reconcile::run()
{
    sweep();
    if (running_ || cluster_.self().empty()) return;
    running_ = true;
    slurm_.run<Result<Survey>>([known = known(), strangers = strangers(),
                                self = cluster_.self()] { return survey_jobs(known, strangers, self); },
                               [this](const Result<Survey>& survey) {
                                   running_ = false;
                                   if (!survey)
                                       return log_error("reconciling with slurmctld", survey.error());
                                   conclude(*survey);
                               });
}

void Reconcile::conclude(const Survey& survey)
{
    for (const DeadJob& job : survey.dead) {
        if (jobs_.find(job.job_id))
            release(job);
        else
            states_.end(job.job_id);
    }
    for (const JobFacts& facts : survey.unprepared) unprepared_(facts);
    std::set<LostStep> suspected;
    for (const LostStep& step : survey.lost) {
        if (suspected_.contains(step))
            lost_(step);
        else
            suspected.insert(step);
    }
    suspected_ = std::move(suspected);
    if (!suspected_.empty()) loop_.after(second_look, [this] { run(); });
}

void Reconcile::release(const DeadJob& job)
{
    if (!releasing_.insert(job.job_id).second) return;
    log_line(Level::info, format("job {} has ended: what it left is released", job.job_id));
    node_.run<Result<void>>(
        [command = release_command(site_.node_program, config_, job)] {
            return run_child(Code::release_incomplete, command, {}, release_deadline);
        },
        [this, job_id = job.job_id](const Result<void>& released) {
            releasing_.erase(job_id);
            if (!released) log_error(format("job {}", job_id), released.error());
        });
}

/// What a crash left without a ledger: no survey knows of it.
bool Reconcile::has_strays() const
{
    if (slicing::has_pages_to_settle(site_.state) || !slicing::find_stray_routes(site_.state).empty()) return true;
    const auto held = slicing::list_held_jobs(site_.state);
    return std::any_of(held.begin(), held.end(),
                       [this](std::uint32_t job_id) { return jobs_.find(job_id) == nullptr; });
}

/// mscale-node asks slurmctld for all its jobs, so it runs only where there is something to find.
void Reconcile::sweep()
{
    if (sweeping_ || (swept_ && !has_strays())) return;
    sweeping_ = true;
    node_.run<Result<void>>(
        [command = std::vector<std::string>{site_.node_program, "--config", config_, "reconcile"}] {
            return run_child(Code::release_incomplete, command, {}, release_deadline);
        },
        [this](const Result<void>& done) {
            sweeping_ = false;
            swept_ = swept_ || done.has_value();
            if (!done) log_error("what jobs left without a ledger", done.error());
        });
}

} // namespace mscale::daemon
