// Snapshots in files: when they are written, what there is of them, and what is said of it.
#include <algorithm>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "contract/parse.hpp"
#include "daemon/keeper/keeper.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::seconds others_first{2};  // own ranks' files before those of copies: they may be of the same name
constexpr std::chrono::seconds reader_grace{10}; // for a later job that has chosen this memory and not the file
constexpr std::size_t fault_limit = 120;

/// As a value in AdminComment: without blanks, ';' and '='.
std::string word_of(const Error& error)
{
    std::string word = format("{}:{}", entry_of(error.code).id, printable(error.text, fault_limit));
    std::ranges::replace_if(word, [](char c) { return c == ' ' || c == ';' || c == '='; }, '_');
    return word;
}

std::vector<std::uint32_t> ranks_of(const std::vector<Spill::Source>& sources)
{
    std::vector<std::uint32_t> ranks;
    for (const Spill::Source& source : sources) ranks.push_back(source.segment->owner.rank);
    std::ranges::sort(ranks);
    return ranks;
}

} // namespace

JobTerms Keeper::terms_of(std::uint32_t job_id) const
{
    const LocalJob* job = jobs_.find(job_id);
    if (!job) return {};
    auto parsed = contract::parse_contract(job->record.contract, "ledger", contract::ProfileDirectory(site_.profiles));
    return {std::move(parsed.contract.ft), job->record.uid};
}

std::optional<SpillPlace> Keeper::place_of(std::uint32_t job_id) const
{
    const LocalJob* job = jobs_.find(job_id);
    if (!job) {
        const auto known = spills_.find(job_id);
        return known == spills_.end() ? std::nullopt : known->second.place;
    }
    const auto directory = terms_of(job_id).ft.spill;
    if (!directory || job->record.observe) return std::nullopt;
    const bool first_run = job->restarts == 0U;
    return SpillPlace{job->record.uid, job->record.gid, *directory,
                      first_run ? static_cast<std::uint64_t>(job->record.started) : 0};
}

/// The slots with which this node can serve the record.
std::vector<Spill::Source> Keeper::sources_of(const recovery::CommitRecord& record, SegmentStore::Kind wanted) const
{
    std::vector<Spill::Source> sources;
    for (const auto& [kind, segment] : store_.entries(record.job_id)) {
        if (kind != wanted) continue;
        const std::scoped_lock lock(segment->mutex);
        const auto slot = SegmentStore::find_slot(*segment, record.epoch);
        if (slot && segment->sealed[*slot]->owner.incarnation == record.incarnation) sources.push_back({segment, *slot});
    }
    return sources;
}

/// The epoch was committed, and is one of those that are to be written.
void Keeper::spill_epoch(const recovery::CommitRecord& record)
{
    const auto place = place_of(record.job_id);
    const std::vector<Spill::Source> sources = sources_of(record, SegmentStore::Kind::own);
    if (!place || sources.empty()) return;
    spill_.write(*place, record, keepers_.self(), sources,
                 [this, record, ranks = ranks_of(sources)](const Result<void>& written) {
                     note_spill(record.job_id, written);
                     const recovery::SpilledEpoch told{record, written ? ranks : std::vector<std::uint32_t>()};
                     keepers_.ask_coordinator(record.job_id, "spilled", recovery::to_json(told), [](const Result<Json>&) {});
                 });
}

/// Told once, and again when it is mended: the training goes on either way.
void Keeper::note_spill(std::uint32_t job_id, const Result<void>& done)
{
    const auto found = spills_.find(job_id);
    if (found == spills_.end()) return; // dropped meanwhile
    const std::string fault = done ? "" : word_of(done.error());
    if (fault == found->second.fault) return;
    found->second.fault = fault;
    if (!done) log_error(format("job {}: its snapshots aren't written to files", job_id), done.error());
    if (done) log_line(Level::info, format("job {}: its snapshots are written to files again", job_id));
    kept_(job_id);
}

/// Every rank's file of the epoch is there.
void Keeper::settle(const Json& body, const Keepers::Answer& answer)
{
    const auto record = recovery::commit_from_json(body, "an epoch whose files are there");
    if (!record) return answer(error_to_json(record.error()));
    const auto place = place_of(record->job_id);
    const auto found = spills_.find(record->job_id);
    answer(ok_with());
    if (!place || found == spills_.end()) return;
    const bool first = std::exchange(found->second.step, record->step) == 0;
    spill_.settle(*place, *record, keepers_.self(), [this, job_id = record->job_id, first](const Result<void>& settled) {
        note_spill(job_id, settled);
        if (first) kept_(job_id);
    });
}

/// What the directory of ft.spill of the job that asks holds of the job that is asked for.
void Keeper::list_files(const Json& body, const Keepers::Answer& answer)
{
    const auto of = read_member<std::uint32_t>(body, "job", "the request");
    const auto job_id = read_member<std::uint32_t>(body, "for", "the request");
    if (!of || !job_id) return answer(error_to_json(of ? job_id.error() : of.error()));
    auto place = place_of(*job_id);
    if (!place) return answer(ok_with({{"epochs", Json::array()}}));
    if (*of != *job_id) place->since = 0;
    spill_.list(*place, *of, [answer](const Result<std::vector<recovery::SpilledEpoch>>& listed) {
        Json epochs = Json::array();
        for (const auto& epoch : listed ? *listed : std::vector<recovery::SpilledEpoch>())
            epochs.push_back(recovery::to_json(epoch));
        Json said = ok_with({{"epochs", epochs}});
        if (!listed && listed.error().code != Code::no_snapshot) said["fault"] = error_to_json(listed.error());
        answer(said);
    });
}

/// A job that has left and may be wanted again: what was committed last, and then the copies of ranks whose own node couldn't.
void Keeper::spill_departed(std::uint32_t job_id, const std::function<void()>& then)
{
    const auto record = committed_of(job_id);
    const auto place = place_of(job_id);
    if (!record || !place) return then();
    spill_.write(*place, *record, keepers_.self(), sources_of(*record, SegmentStore::Kind::own),
                 [this, record = *record, place = *place, then](const Result<void>& written) {
                     note_spill(record.job_id, written);
                     loop_.after(others_first, [this, record, place, then] { spill_copies(record, place, then); });
                 });
}

void Keeper::spill_copies(const recovery::CommitRecord& record, const SpillPlace& place, const std::function<void()>& then)
{
    spill_.write(place, record, keepers_.self(), sources_of(record, SegmentStore::Kind::copy),
                 [this, job_id = record.job_id, step = record.step, then](const Result<void>& written) {
                     note_spill(job_id, written);
                     if (written) log_line(Level::info, format("job {} has left: step {} lies in its files", job_id, step));
                     loop_.after(reader_grace, then);
                 });
}

} // namespace mscale::daemon
