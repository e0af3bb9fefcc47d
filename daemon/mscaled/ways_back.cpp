#include "daemon/mscaled/ways_back.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/part_search.hpp"
#include "slicing/leftovers.hpp"
#include "slicing/ledger.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::seconds lock_limit{10};

/// So that no later step of the job is planned on it, whoever plans it.
Result<void> keep_lost_gpu(const std::string& directory, std::uint32_t job_id, const std::string& pci)
{
    const auto ledger = slicing::Ledger::open(directory, job_id, lock_limit);
    if (!ledger) return tl::unexpected(ledger.error());
    auto record = ledger->read();
    if (!record) return tl::unexpected(record.error());
    if (std::ranges::find(record->lost_gpus, pci) != record->lost_gpus.end()) return {};
    record->lost_gpus.push_back(pci);
    return ledger->write(*record);
}

/// What the slurmstepd left alive: its program must not compute beside that of the next step.
Result<std::string> end_tasks(const contract::LedgerRecord& record, std::vector<contract::TaskRecord> tasks)
{
    const contract::StepRecord* const step = find_newest_step(record);
    std::erase_if(tasks, [step](const contract::TaskRecord& task) { return !step || task.step_id != step->step_id; });
    if (auto ended = slicing::kill_leftovers(tasks, record.uid); !ended) return tl::unexpected(std::move(ended.error()));
    return std::string("a new step");
}

} // namespace

void WaysBack::on_gone(std::uint32_t job_id, const PartFinding& gone)
{
    const LocalJob* job = jobs_.find(job_id);
    if (!job) return;
    if (gone.part.kind == PartKind::port) return decide(job_id, gone, choose_carrier(job->findings.parts));
    worker_.run<Result<std::string>>(
        [record = job->record, tasks = job->tasks, part = gone.part, site = site_,
         directory = jobs_.directory()]() -> Result<std::string> {
            if (part.kind == PartKind::stepd) return end_tasks(record, tasks);
            if (part.kind == PartKind::gpu)
                if (auto kept = keep_lost_gpu(directory, record.job_id, part.name); !kept)
                    return tl::unexpected(kept.error());
            return seek_other(record, part, site);
        },
        [this, job_id, gone](const Result<std::string>& other) {
            if (!other) log_error(format("job {}: another {} is not sought", job_id, name_of(gone.part.kind)), other.error());
            decide(job_id, gone, other.value_or(std::string()));
        });
}

void WaysBack::decide(std::uint32_t job_id, const PartFinding& gone, const std::string& other)
{
    const LostPart* lost = jobs_.lose(job_id, gone, other);
    if (!lost) return;
    log_line(Level::error, format("job {}: {}", job_id, describe(*lost)));
    told_(job_id);
}

} // namespace mscale::daemon
