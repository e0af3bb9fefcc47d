#include "daemon/node/apply.hpp"

#include <ctime>

#include "base/log.hpp"
#include "base/text.hpp"
#include "contract/kept_job.hpp"
#include "contract/parse.hpp"
#include "daemon/node/contradictions.hpp"
#include "daemon/node/trust.hpp"
#include "hal/probe.hpp"
#include "slicing/lease.hpp"

namespace mscale::node {
namespace {

using contract::LedgerRecord;
using contract::Refusal;

/// The job's lock, with nothing of an earlier run of the same job id left behind it.
Result<slicing::Ledger> open_fresh_ledger(const JobEnvironment& job, const contract::Site& site)
{
    auto ledger =
        slicing::Ledger::open(contract::ledger_directory(site.state), job.job_id, site.apply_deadline / 2);
    if (!ledger) return ledger;
    const auto earlier = ledger->read();
    if (!earlier && earlier.error().code == Code::no_such_job) return ledger;
    if (const auto released = slicing::release(*ledger, site); !released)
        return tl::unexpected(released.error());
    return slicing::Ledger::open(contract::ledger_directory(site.state), job.job_id,
                                 site.apply_deadline / 2); // its file went too
}

std::vector<Refusal> refusals_of(const Faults& faults)
{
    std::vector<Refusal> refusals;
    for (const auto& [error, place] : faults)
        refusals.push_back({error.code, "contract", place.excerpt, error.text, error.cure});
    return refusals;
}

/// What refuses a contract, and what of that is the machine's.
struct Judged {
    std::vector<Refusal> refusals, of_machine;
};

/// What this machine says to the contract; its plan goes into the record.
Result<Judged> judge(const contract::Verified& verified, const contract::Site& site, LedgerRecord& record)
{
    const contract::ProfileDirectory profiles(site.profiles);
    const auto parsed = contract::parse_contract(verified.canonical, "the verified contract", profiles);
    if (!parsed.ok()) return Judged{refusals_of(parsed.faults), {}};
    const auto machine = hal::probe_machine({Root(), site.nvml_library});
    if (!machine) return tl::unexpected(machine.error());
    const contract::Allocation allocation{{}, verified.tasks, {}, record.sm_slices};
    const contract::Question question{*machine, site, allocation};
    auto verdict = contract::verify(parsed.contract, question);
    record.plan = std::move(verdict.plan);
    auto of_machine = refusals_of_machine(parsed.contract, question, verdict.refusals);
    return Judged{std::move(verdict.refusals), std::move(of_machine)};
}

Result<LedgerRecord> keep(const slicing::Ledger& ledger, LedgerRecord record, contract::Stage stage)
{
    record.stage = stage;
    if (const auto written = ledger.write(record); !written) return tl::unexpected(written.error());
    return record;
}

Result<LedgerRecord> set_up(const slicing::Ledger& ledger, LedgerRecord record,
                            const contract::Verified& verified, const contract::Site& site)
{
    record.contract = verified.canonical;
    record.notice = verified.notice;
    record.observe = verified.mode != contract::Mode::enforce;
    auto judged = judge(verified, site, record);
    if (!judged) return tl::unexpected(judged.error());
    record.refusals = std::move(judged->refusals);
    if (record.observe) return keep(ledger, std::move(record), contract::Stage::applied);
    if (const auto counted = count_contradiction(site, judged->of_machine); !counted)
        log_error(format("job {}", record.job_id), counted.error());
    if (!record.refusals.empty()) return keep(ledger, std::move(record), contract::Stage::refused);
    return slicing::apply(ledger, std::move(record), site);
}

/// So that the job can run here again without a prolog.
Result<void> keep_job(const JobEnvironment& job, const contract::Site& site)
{
    contract::KeptJob kept{job.job_id, job.uid, job.gid, job.node, *job.verified, job.nodes, {}};
    if (auto before = contract::read_kept_job(site.state, job.job_id))
        kept.earlier = std::move(before->nodes == job.nodes ? before->earlier : before->nodes);
    return contract::write_kept_job(site.state, kept);
}

} // namespace

Result<std::optional<LedgerRecord>> apply_contract(const JobEnvironment& job, const contract::Site& site)
{
    if (!job.verified && !job.has_request) return std::nullopt;
    const auto ledger = open_fresh_ledger(job, site);
    if (!ledger) return tl::unexpected(ledger.error());
    return apply_to_ledger(*ledger, job, site);
}

Result<LedgerRecord> apply_to_ledger(const slicing::Ledger& ledger, const JobEnvironment& job,
                                     const contract::Site& site)
{
    LedgerRecord record;
    record.job_id = job.job_id;
    record.restart_count = job.restart_count;
    record.uid = job.uid;
    record.gid = job.gid;
    record.started = std::time(nullptr);
    record.nodes = job.nodes;
    record.sm_slices = job.sm_slices;
    const auto verified = read_verified(job, site);
    if (!verified) {
        record.refusals = {
            {verified.error().code, "contract", "", verified.error().text, verified.error().cure}};
        return keep(ledger, std::move(record), contract::Stage::refused);
    }
    if (const auto kept = keep_job(job, site); !kept) log_error(format("job {}", job.job_id), kept.error());
    return set_up(ledger, std::move(record), *verified, site);
}

} // namespace mscale::node
