#include "spank/step.hpp"

#include <unistd.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "contract/kept_job.hpp"
#include "contract/parse.hpp"
#include "contract/refused_file.hpp"
#include "spank/environment.hpp"
#include "spank/node_program.hpp"

namespace mscale::spank {
namespace {

using contract::LedgerRecord;
using contract::Refusal;

void refuse(StepState& step, std::vector<Refusal> refusals)
{
    step.stage = StepState::Stage::refused;
    step.refusals = std::move(refusals);
}

void refuse(StepState& step, const Error& error)
{
    refuse(step, std::vector<Refusal>{{error.code, "contract", "", error.text, error.cure}});
}

/// A user can only make things worse for himself by these: they can refuse a task, never set anything up.  The option of
/// srun says nothing in a het job, where Slurm hands the last component's on to all of them.
bool claims_contract(Slurm& slurm, const StepState& step, const NodeSite& node)
{
    const std::string own_job = format("{}={}", job_variable, step.facts.job_id);
    const std::string submitted = format("{}={}", job_variable, submitted_job);
    bool by_option = step.option_seen, by_variable = false;
    std::string partition;
    for (const auto& entry : slurm.list_environment()) {
        if (entry.starts_with("SLURM_HET_SIZE=")) by_option = false;
        if (entry == own_job || entry == submitted) by_variable = true;
        if (entry.starts_with("SLURM_JOB_PARTITION=")) partition = entry.substr(entry.find('=') + 1);
    }
    return (by_option || by_variable) && node.enforces(partition);
}

/// No ledger: a job without a contract, unless somebody claims one.
void conclude_without_ledger(Slurm& slurm, StepState& step, const NodeSite& node)
{
    step.stage = StepState::Stage::none;
    if (!claims_contract(slurm, step, node)) return;
    refuse(step,
           failure(Code::plugin_missing,
                   "this node has no ledger for the job: neither its prolog nor mscale-node could write one "
                   "(PrologFlags=Alloc missing, or nothing can be written below " +
                       step.state_directory + ")")
               .value());
}

std::string describe_step(const StepFacts& facts)
{
    const auto affinity = read_affinity();
    const Json json = {{"job", facts.job_id},
                       {"step", facts.step_id},
                       {"uid", facts.uid},
                       {"tasks", facts.tasks},
                       {"step_cores", facts.step_cores},
                       {"job_cores", facts.job_cores},
                       {"affinity", affinity ? to_string(*affinity) : ""},
                       {"stepd", ::getpid()}};
    return json.dump() + "\n";
}

Error describe_garbage(const Error& error)
{
    return failure(Code::plugin_missing, "an answer that can't be read: " + error.text).value();
}

Result<contract::StepRecord> plan_step(const NodeSite& node, const StepFacts& facts,
                                       const Arguments& arguments, const char* const* environment)
{
    const auto answer = run_node_program(node, arguments, "step", environment, describe_step(facts));
    if (!answer) return tl::unexpected(answer.error());
    const auto json = parse_json(*answer, "mscale-node step");
    if (!json) return tl::unexpected(describe_garbage(json.error()));
    auto record = contract::step_from_json(*json, "mscale-node step");
    if (!record) return tl::unexpected(describe_garbage(record.error()));
    return record;
}

void follow_plan(StepState& step, Result<contract::StepRecord> record)
{
    if (!record) return refuse(step, record.error());
    if (!record->refusals.empty()) return refuse(step, record->refusals);
    step.stage = StepState::Stage::planned;
    step.record = std::move(*record);
}

bool keeps_snapshots(const LedgerRecord& ledger, const NodeSite& node)
{
    const auto parsed =
        contract::parse_contract(ledger.contract, "ledger", contract::ProfileDirectory(node.site.profiles));
    return contract::keeps_snapshots(parsed.contract.ft);
}

void follow_ledger(StepState& step, const LedgerRecord& ledger, const NodeSite& node,
                   const Arguments& arguments, const char* const* environment)
{
    if (ledger.observe) {
        step.stage = StepState::Stage::none;
        return;
    }
    switch (ledger.stage) {
    case contract::Stage::applied:
        step.keeps_snapshots = keeps_snapshots(ledger, node);
        return follow_plan(step, plan_step(node, step.facts, arguments, environment));
    case contract::Stage::refused: return refuse(step, ledger.refusals);
    case contract::Stage::planned:
        return refuse(step, failure(Code::deadline, "the set-up of the node didn't come to its end").value());
    case contract::Stage::releasing:
    case contract::Stage::released:
        return refuse(step, failure(Code::ledger, "the job was already released on this node").value());
    }
}

/// A run that began at once on a node of the run before got no prolog: what that one was told is kept.
Result<LedgerRecord> find_ledger(const NodeSite& node, const StepFacts& facts, const Arguments& arguments,
                                 const char* const* environment)
{
    auto ledger = contract::read_ledger(node.jobs(), facts.job_id);
    if (ledger || ledger.error().code != Code::no_such_job) return ledger;
    if (::access(contract::kept_job_path(node.site.state, facts.job_id).c_str(), F_OK) != 0) return ledger;
    const Json question = {{"job", facts.job_id}, {"uid", facts.uid}};
    const auto done = run_node_program(node, arguments, "again", environment, question.dump() + "\n");
    if (!done) return tl::unexpected(done.error());
    return contract::read_ledger(node.jobs(), facts.job_id);
}

void learn_contract(Slurm& slurm, StepState& step, const Arguments& arguments, const char* const* environment)
{
    const NodeSite node(arguments.config);
    step.state_directory = node.site.state;
    const auto refused = contract::read_refused_file(node.jobs(), step.facts.job_id);
    if (refused) return refuse(step, *refused);
    if (refused.error().code != Code::no_such_job) return refuse(step, refused.error());
    const auto ledger = find_ledger(node, step.facts, arguments, environment);
    if (ledger && ledger->uid == step.facts.uid)
        return follow_ledger(step, *ledger, node, arguments, environment);
    if (ledger || ledger.error().code == Code::no_such_job) return conclude_without_ledger(slurm, step, node);
    refuse(step, ledger.error());
}

} // namespace

Decision learn_step(Slurm& slurm, StepState& step, const Arguments& arguments, const char* const* environment)
{
    auto facts = slurm.read_step();
    if (!facts) {
        log_error("init_post_opt", facts.error());
        return Decision::go_on;
    }
    step.facts = std::move(*facts);
    if (step.facts.step_id == external_step) // it runs nothing of the user's
        step.stage = StepState::Stage::none;
    else
        learn_contract(slurm, step, arguments, environment);
    return Decision::go_on;
}

} // namespace mscale::spank
