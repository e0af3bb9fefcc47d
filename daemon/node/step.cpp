#include "daemon/node/step.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "contract/parse.hpp"
#include "hal/probe.hpp"
#include "slicing/ledger.hpp"

namespace mscale::node {
namespace {

using contract::LedgerRecord;
using contract::Refusal;
using contract::StepRecord;

constexpr const char* step_name = "the question of a step";

Result<CpuSet> read_set(const Json& json, const char* key)
{
    const auto text = read_member<std::string>(json, key, step_name);
    if (!text) return tl::unexpected(text.error());
    return parse_cpu_list(*text, true);
}

Refusal refusal_of(const Error& error)
{
    return {error.code, "contract", "", error.text, error.cure};
}

/// Why a step of this record can't be planned whatever it asks; nothing when it can.
std::vector<Refusal> standing_refusals(const LedgerRecord& record, const StepQuestion& question)
{
    if (record.uid != question.uid)
        return {refusal_of(failure(Code::credential, format("the ledger is of user {}, the step of user {}",
                                                            record.uid, question.uid))
                               .value())};
    if (!record.refusals.empty()) return record.refusals;
    if (record.stage == contract::Stage::applied) return {};
    return {refusal_of(
        failure(Code::deadline, "the node isn't set up for the job: its set-up was broken off").value())};
}

StepRecord judge(const LedgerRecord& record, const StepQuestion& question, const contract::Site& site,
                 hal::Machine machine)
{
    StepRecord step{question.step_id, {}, {}, {}, question.stepd};
    const auto cpus = grant_cpus(question, machine);
    if (!cpus) return step.refusals = {refusal_of(cpus.error())}, step;
    step.cpus = *cpus;
    const auto parsed =
        contract::parse_contract(record.contract, "the ledger", contract::ProfileDirectory(site.profiles));
    for (const auto& fault : parsed.faults) step.refusals.push_back(refusal_of(fault.error));
    if (!parsed.ok()) return step;
    give_own_pages(machine, record.plan);
    contract::Site without_growth = site; // a step takes from what the job holds
    without_growth.grow = false;
    const contract::Allocation allocation{*cpus, question.tasks, {}, record.sm_slices, record.lost_gpus};
    auto verdict = contract::verify(parsed.contract, {machine, without_growth, allocation});
    step.plan = std::move(verdict.plan);
    step.refusals = std::move(verdict.refusals);
    return step;
}

/// Components of one het step have one number and a slurmstepd each.
bool is_replaced_by(const StepRecord& step, const StepRecord& other)
{
    return other.step_id == step.step_id && (other.stepd.pid == 0 || other.stepd == step.stepd);
}

Result<std::optional<StepRecord>> add_step(const slicing::Ledger& ledger, const StepQuestion& question,
                                           const contract::Site& site, const hal::Machine& machine)
{
    auto record = ledger.read();
    if (!record && record.error().code == Code::no_such_job) return std::nullopt;
    if (!record) return tl::unexpected(record.error());
    if (auto refusals = standing_refusals(*record, question); !refusals.empty())
        return StepRecord{question.step_id, {}, {}, std::move(refusals), question.stepd};
    StepRecord step = judge(*record, question, site, machine);
    drop_ended_steps(record->steps);
    std::erase_if(record->steps, [&](const StepRecord& other) { return is_replaced_by(step, other); });
    record->steps.push_back(step);
    if (const auto written = ledger.write(*record); !written) return tl::unexpected(written.error());
    return step;
}

/// A process that has ended meanwhile is as unknown as none.
ProcessId read_stepd(const Json& json)
{
    if (!json.contains("stepd")) return {};
    const auto pid = read_member<pid_t>(json, "stepd", step_name);
    return pid ? identify_process(*pid).value_or(ProcessId{}) : ProcessId{};
}

} // namespace

Result<StepQuestion> read_step_question(const std::string& text)
{
    const auto json = parse_json(text, step_name);
    if (!json) return tl::unexpected(json.error());
    const auto job = read_member<std::uint32_t>(*json, "job", step_name);
    const auto step = read_member<std::uint32_t>(*json, "step", step_name);
    const auto uid = read_member<std::uint32_t>(*json, "uid", step_name);
    const auto tasks = read_member<unsigned>(*json, "tasks", step_name);
    for (const auto* number : {&job, &step, &uid, &tasks})
        if (!*number) return tl::unexpected(number->error());
    const auto step_cores = read_set(*json, "step_cores"), job_cores = read_set(*json, "job_cores");
    const auto affinity = read_set(*json, "affinity");
    for (const auto* set : {&step_cores, &job_cores, &affinity})
        if (!*set) return tl::unexpected(set->error());
    return StepQuestion{*job,
                        *step,
                        *uid,
                        std::max(1U, *tasks),
                        step_cores->empty() ? *job_cores : *step_cores,
                        *affinity,
                        read_stepd(*json)};
}

Result<CpuSet> grant_cpus(const StepQuestion& question, const hal::Machine& machine)
{
    CpuSet cpus;
    for (const unsigned core : question.cores.cpus()) {
        if (core >= machine.cores.size())
            return failure(
                Code::no_such_cpu,
                format("Slurm granted core {}, but this node has {} cores", core, machine.cores.size()),
                "make the node's line in slurm.conf agree with `slurmd -C`");
        cpus = cpus | machine.cores[core].cpus;
    }
    if (question.cores.empty()) cpus = machine.online;
    const CpuSet usable = question.affinity.empty() ? cpus : cpus & question.affinity;
    if (!usable.empty()) return usable;
    return failure(Code::apply_cores, format("Slurm granted CPUs {}, but slurmstepd may run on {} only",
                                             to_string(cpus), to_string(question.affinity)));
}

void give_own_pages(hal::Machine& machine, const contract::Plan& plan)
{
    for (const contract::PagePlan& pages : plan.pages)
        for (hal::NumaNode& node : machine.numa)
            for (hal::HugePagePool& pool : node.huge_pages)
                if (node.id == pages.numa && pool.page_bytes == pages.page_bytes)
                    pool.free = std::min(pool.total, pool.free + pages.count);
}

void drop_ended_steps(std::vector<StepRecord>& steps)
{
    std::vector<StepRecord> kept;
    bool refused = false;
    for (StepRecord& step : steps) {
        const bool ended = step.stepd.pid != 0 && !is_alive(step.stepd);
        if (ended && (step.refusals.empty() || refused)) continue;
        if (ended) step.plan = {};
        refused = refused || !step.refusals.empty();
        kept.push_back(std::move(step));
    }
    steps = std::move(kept);
}

Result<std::optional<StepRecord>> plan_step(const StepQuestion& question, const contract::Site& site)
{
    const std::string jobs = contract::ledger_directory(site.state);
    const auto before = contract::read_ledger(jobs, question.job_id);
    if (!before && before.error().code == Code::no_such_job) return std::nullopt;
    // Before the lock: reading the machine takes long, and the steps of a job start at once.
    const auto machine = hal::probe_machine({Root(), site.nvml_library});
    if (!machine) return tl::unexpected(machine.error());
    const auto ledger = slicing::Ledger::open(jobs, question.job_id, site.apply_deadline / 2);
    if (!ledger) return tl::unexpected(ledger.error());
    return add_step(*ledger, question, site, *machine);
}

} // namespace mscale::node
