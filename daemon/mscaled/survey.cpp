#include "daemon/mscaled/survey.hpp"

#include <algorithm>

#include <slurm/slurm.h>

#include "contract/state.hpp"

namespace mscale::daemon {

namespace {

template <class List, class Value> bool holds(const List& list, const Value& value)
{
    return std::find(list.begin(), list.end(), value) != list.end();
}

bool is_here(const JobFacts& facts, const std::string& self)
{
    return facts.running && holds(facts.nodes, self);
}

Result<void> survey_known(Survey& survey, const KnownJob& job, const std::vector<StepName>& stepds,
                          const std::string& self)
{
    const auto facts = load_job(job.job_id);
    if (!facts && facts.error().code != Code::no_such_job) return tl::unexpected(facts.error());
    if (!facts || !is_here(*facts, self)) {
        survey.dead.push_back({job.job_id, job.run});
        return {};
    }
    if (facts->completing || job.steps.empty()) return {};
    const auto steps = load_steps(job.job_id);
    if (!steps) return {}; // a job that ends just now has none
    const auto lost = find_lost_steps(job, *facts, *steps, stepds, self);
    survey.lost.insert(survey.lost.end(), lost.begin(), lost.end());
    return {};
}

Result<void> survey_stranger(Survey& survey, std::uint32_t job_id, const std::string& self)
{
    auto facts = load_job(job_id);
    if (!facts && facts.error().code == Code::no_such_job) return {};
    if (!facts) return tl::unexpected(facts.error());
    const auto comment = contract::find_comment(facts->admin_comment);
    const bool accepted = comment && comment->state == contract::State::accepted;
    if (accepted && is_here(*facts, self) && !facts->completing)
        survey.unprepared.push_back(std::move(*facts));
    return {};
}

} // namespace

std::string step_name(std::uint32_t step_id)
{
    switch (step_id) {
    case SLURM_BATCH_SCRIPT: return "batch";
    case SLURM_EXTERN_CONT: return "extern";
    case SLURM_INTERACTIVE_STEP: return "interactive";
    default: return std::to_string(step_id);
    }
}

std::vector<LostStep> find_lost_steps(const KnownJob& job, const JobFacts& facts,
                                      const std::vector<StepFacts>& running,
                                      const std::vector<StepName>& stepds, const std::string& self)
{
    std::vector<LostStep> lost;
    for (const std::uint32_t step : job.steps) {
        const auto runs = std::find_if(running.begin(), running.end(), [&](const StepFacts& other) {
            return other.step_id == step && holds(other.nodes, self);
        });
        const bool batch = step == SLURM_BATCH_SCRIPT && facts.batch && facts.batch_host == self;
        if (runs == running.end() && !batch) continue;
        const std::string name = step_name(step);
        if (!holds(stepds, StepName{job.job_id, name})) lost.push_back({job.job_id, name});
    }
    return lost;
}

Result<Survey> survey_jobs(const std::vector<KnownJob>& known, const std::vector<std::uint32_t>& strangers,
                           const std::string& self)
{
    Survey survey;
    const auto stepds = list_stepds();
    for (const KnownJob& job : known) {
        if (auto asked = survey_known(survey, job, stepds, self); !asked)
            return tl::unexpected(asked.error());
    }
    for (const std::uint32_t job_id : strangers) {
        if (auto asked = survey_stranger(survey, job_id, self); !asked) return tl::unexpected(asked.error());
    }
    return survey;
}

} // namespace mscale::daemon
