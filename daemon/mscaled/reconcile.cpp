#include "daemon/mscaled/reconcile.hpp"

#include "base/log.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::seconds second_look{5};
constexpr std::chrono::minutes release_deadline{2};

Result<void> run_release(const std::string& program, const std::string& config, std::uint32_t job_id)
{
    const auto outcome =
        run_process({program, "--config", config, "release", "--job", std::to_string(job_id)},
                    {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}, {}, release_deadline);
    if (!outcome) return tl::unexpected(outcome.error());
    if (outcome->status == 0) return {};
    return failure(Code::release_incomplete, format("{} release --job {}: exit {}, {}", program, job_id,
                                                    outcome->status, printable(outcome->diagnostics)));
}

} // namespace

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
        for (const contract::TaskRecord& task : job.tasks) steps.insert(task.step_id);
        if (job.record.observe) steps.clear();
        known.push_back({job_id, {steps.begin(), steps.end()}});
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
    for (const std::uint32_t job_id : survey.dead) {
        if (jobs_.find(job_id))
            release(job_id);
        else
            states_.end(job_id);
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

void Reconcile::release(std::uint32_t job_id)
{
    if (!releasing_.insert(job_id).second) return;
    log_line(Level::info, format("job {} has ended: what it left is released", job_id));
    node_.run<Result<void>>([program = site_.node_program, config = config_,
                             job_id] { return run_release(program, config, job_id); },
                            [this, job_id](const Result<void>& released) {
                                releasing_.erase(job_id);
                                if (!released) log_error(format("job {}", job_id), released.error());
                            });
}

} // namespace mscale::daemon
