#include "daemon/keeper/coordinator.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/keeper/messages.hpp"
#include "daemon/mscaled/message.hpp"
#include "daemon/requeue/holding_search.hpp"
#include "recovery/spill_file.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::seconds patience{10}; // for the daemon of a node that is starting again
constexpr std::chrono::seconds told_again{1};

Error nothing_to_resume(std::uint32_t job_id)
{
    return failure(Code::no_snapshot, format("ft.resume={}: no snapshot of job {} is held or lies in the directory of ft.spill",
                                             job_id, job_id))
        .value();
}

/// No node that was asked knows of the snapshot that slurmctld was told of.
Error lost_all(std::uint64_t step)
{
    return failure(Code::no_snapshot,
                   format("an earlier run of the job had a snapshot, of step {} or later, and no node has it any more", step),
                   "start a node that held it, or submit the job anew, which begins at the beginning")
        .value();
}

} // namespace

void Coordinator::answer_prepare(const Json& body, const Keepers::Answer& answer)
{
    const auto prepared = prepared_from_json(body, "a prepared snapshot");
    if (!prepared) return answer(error_to_json(prepared.error()));
    with_book(prepared->job_id, prepared->ranks, {}, [this, p = *prepared, answer] {
        Job& job = jobs_[p.job_id];
        job.book->begin(p.incarnation, p.ranks);
        const auto record = job.book->prepare(p.incarnation, p.rank, p.epoch, p.step);
        if (!record) return answer(error_to_json(record.error()));
        commit_newest(job, p.incarnation);
        answer(describe_progress(job, p.incarnation));
    });
}

void Coordinator::answer_skip(const Json& body, const Keepers::Answer& answer)
{
    const auto skipped = skipped_from_json(body, "a skipped snapshot");
    if (!skipped) return answer(error_to_json(skipped.error()));
    with_book(skipped->epoch.job_id, skipped->epoch.ranks, {}, [this, skipped = *skipped, answer] {
        const Prepared& s = skipped.epoch;
        Job& job = jobs_[s.job_id];
        job.book->begin(s.incarnation, s.ranks);
        const auto done = job.book->skip(s.incarnation, s.rank, s.epoch, {skipped.held.begin(), skipped.held.end()});
        if (!done) return answer(error_to_json(done.error()));
        commit_newest(job, s.incarnation);
        answer(describe_progress(job, s.incarnation));
    });
}

/// Also what was committed before this coordinator began: the one before may have ended between the record and the word of it,
/// and ranks that never hear of their commit would have no room for another.
void Coordinator::commit_newest(const Job& job, const recovery::Incarnation& run)
{
    const auto& newest = job.book->newest();
    if (newest && newest->incarnation == run && job.keeping != newest) commit(*newest);
}

/// What the ranks may write over.  Nothing of the newest commit before all nodes were told of it: a rank that doesn't know of it
/// takes its part for abandoned like any other.
Json Coordinator::describe_progress(const Job& job, const recovery::Incarnation& run)
{
    const auto& newest = job.book->newest();
    const std::uint64_t abandoned = job.book->abandoned();
    if (!newest || newest->incarnation != run) return ok_with({{"abandoned", abandoned}});
    if (job.announced != newest) return ok_with({{"abandoned", std::min(abandoned, newest->epoch - 1)}});
    return ok_with({{"abandoned", abandoned}, {"commit", recovery::to_json(*newest)}});
}

void Coordinator::answer_restore(const Json& body, const Keepers::Answer& answer)
{
    const auto state = restore_state_from_json(body, "the start of a run");
    if (!state) return answer(error_to_json(state.error()));
    Job& job = jobs_[state->job_id];
    if (!job.run || *job.run < state->incarnation) begin_run(job, state->incarnation);
    with_book(state->job_id, state->ranks, {state->incarnation.restarts > 0, true},
              [this, state = *state, answer] { answer(judge_restore(jobs_[state.job_id], state)); });
}

/// What the nodes hold may have changed since they were asked: by the run before, or in the middle of it, after which this
/// coordinator began anew.
void Coordinator::begin_run(Job& job, const recovery::Incarnation& run)
{
    Job fresh;
    fresh.run = run;
    fresh.waiting = std::move(job.waiting);
    fresh.asking = job.asking;
    fresh.spills = std::move(job.spills);
    job = std::move(fresh);
}

Json Coordinator::judge_restore(Job& job, const RestoreState& state)
{
    if (!job.round || job.round->incarnation() < state.incarnation) {
        job.round.emplace(state.incarnation, state.ranks);
        job.round->offer(job.records, job.copies);
        job.book->begin(state.incarnation, state.ranks);
    }
    recovery::RestoreRound& round = *job.round;
    if (state.incarnation < round.incarnation())
        return error_to_json(
            failure(Code::fenced, format("job {}: a newer run has begun", state.job_id)).value());
    if (waits_for_nodes(job, state)) return to_json(RestoreAnswer{});
    for (const auto& failed : state.failed) {
        round.drop_copy(failed.rank, failed.epoch, failed.node, failed.tier);
        job.unusable = format("node {}: {}", failed.node, failed.why);
    }
    for (const std::uint64_t epoch : state.rejected) round.reject(epoch);
    for (const auto& ready : state.ready) round.ready(ready.rank, ready.epoch);
    for (const auto& taken : state.confirmed) round.confirm(taken.rank, taken.epoch);
    if (!round.choice()) return error_to_json(explain(job, round.choice().error()));
    if (!*round.choice() && job.told) return error_to_json(explain(job, lost_all(*job.told)));
    if (!*round.choice() && job.resumes) return error_to_json(explain(job, nothing_to_resume(*job.resumes)));
    RestoreAnswer answer{true, round.go(), round.settled(), {}, {}, round.missing()};
    if (const auto& choice = *round.choice()) {
        answer.record = choice->record;
        for (const auto& copies : choice->sources) {
            RankSources& sources = answer.sources.emplace_back();
            for (const recovery::HeldCopy& copy : copies)
                (copy.tier == recovery::Tier::spill ? sources.spilled : sources.nodes).push_back(copy.node);
        }
        for (const auto& [rank, plan] : choice->rebuilds) answer.sources[rank].rebuild = plan;
    }
    return to_json(answer);
}

/// A node that says nothing may be dead, and then the choice stands; or its daemon is just starting again, and what it holds
/// must not be passed over.  Only a choice that it could better waits for it.
bool Coordinator::waits_for_nodes(Job& job, const RestoreState& state)
{
    const auto& choice = job.round->choice();
    const bool best = choice && *choice && (*choice)->passed_over.empty();
    if (best || !job.silence || std::chrono::steady_clock::now() - job.asked > patience) return false;
    if (!job.asking) gather(state.job_id, state.ranks, {state.incarnation.restarts > 0, true});
    return true;
}

void Coordinator::with_book(std::uint32_t job_id, std::uint32_t ranks, const Reach& reach,
                            std::function<void()> then)
{
    Job& job = jobs_[job_id];
    if (job.book) return then();
    job.waiting.push_back(std::move(then));
    if (job.waiting.size() == 1) gather(job_id, ranks, reach);
}

void Coordinator::gather(std::uint32_t job_id, std::uint32_t ranks, const Reach& reach)
{
    Job& asking = jobs_[job_id];
    asking.asking = true;
    if (!asking.book) asking.asked = std::chrono::steady_clock::now();
    const JobTerms terms = terms_of(job_id);
    const bool spilled = reach.begins && terms.ft.spill;
    search_holdings(keepers_, {job_id, job_id, terms.uid, reach.restarted, spilled},
                    [this, job_id, ranks, reach](FoundHoldings found) {
                        take_found(job_id, ranks, reach, std::move(found));
                    });
}

void Coordinator::take_found(std::uint32_t job_id, std::uint32_t ranks, const Reach& reach, FoundHoldings found)
{
    const auto entry = jobs_.find(job_id);
    if (entry == jobs_.end()) return; // the job ended meanwhile
    take_holdings(job_id, entry->second, std::move(found));
    if (!entry->second.records.empty()) return settle_holdings(job_id, ranks);
    if (reach.restarted) return ask_told(job_id, ranks);
    if (reach.begins) return seek_resumed(job_id, ranks);
    settle_holdings(job_id, ranks);
}

void Coordinator::ask_told(std::uint32_t job_id, std::uint32_t ranks)
{
    keepers_.ask_told_snapshot(job_id, [this, job_id, ranks](const Result<std::optional<std::uint64_t>>& told) {
        const auto found = jobs_.find(job_id);
        if (found == jobs_.end()) return; // the job ended meanwhile
        if (!told) return keepers_.call_after(told_again, [this, job_id, ranks] { ask_told(job_id, ranks); });
        found->second.told = *told;
        if (!*told) return seek_resumed(job_id, ranks);
        settle_holdings(job_id, ranks);
    });
}

void Coordinator::seek_resumed(std::uint32_t job_id, std::uint32_t ranks)
{
    const JobTerms terms = terms_of(job_id);
    if (!terms.ft.resume) return settle_holdings(job_id, ranks);
    const auto of = static_cast<std::uint32_t>(*terms.ft.resume);
    jobs_[job_id].resumes = of;
    search_holdings(keepers_, {job_id, of, terms.uid, false, terms.ft.spill.has_value()},
                    [this, job_id, ranks](FoundHoldings found) {
                        const auto entry = jobs_.find(job_id);
                        if (entry == jobs_.end()) return; // the job ended meanwhile
                        entry->second.records = std::move(found.records);
                        entry->second.copies = std::move(found.copies);
                        entry->second.faults = std::move(found.faults);
                        settle_holdings(job_id, ranks);
                    });
}

/// Why there is nothing: a fault that stood in the way says more than that nothing was found.
Error Coordinator::explain(const Job& job, Error error) const
{
    if (!job.unusable.empty()) error.text += "; " + job.unusable;
    for (const Error& fault : job.faults) {
        if (fault.code == Code::snapshot_foreign && job.resumes && job.records.empty()) return fault; // no more is to be said of it
        if (fault.code == Code::snapshot_foreign) error.code = fault.code;
        error.text += "; " + fault.text;
    }
    if (job.run && job.run->restarts > 0 && error.code == Code::no_snapshot && job.unusable.empty())
        error.cure = "see [recovery] held_memory in mscale.conf: it bounds what stays of a job that waits to run again";
    return error;
}

void Coordinator::settle_holdings(std::uint32_t job_id, std::uint32_t ranks)
{
    Job& job = jobs_[job_id];
    job.asking = false;
    if (!job.book) job.book.emplace(job_id, ranks);
    for (const recovery::CommitRecord& record : job.records) job.book->adopt(record);
    if (job.round) job.round->offer(job.records, job.copies);
    for (const auto& then : std::exchange(job.waiting, {})) then();
}

void Coordinator::take_holdings(std::uint32_t job_id, Job& job, FoundHoldings found)
{
    job.records = std::move(found.records);
    job.copies = std::move(found.copies);
    job.faults = std::move(found.faults);
    job.outside.clear();
    const std::vector<std::string> inside = keepers_.nodes(job_id);
    job.silence = std::ranges::any_of(inside, [&](const std::string& node) {
        return std::ranges::find(found.nodes, node) == found.nodes.end();
    });
    for (const std::string& node : found.nodes)
        if (std::ranges::find(inside, node) == inside.end()) job.outside.push_back(node);
}

void Coordinator::commit(const recovery::CommitRecord& record)
{
    jobs_[record.job_id].keeping = record;
    std::vector<std::string> nodes = keepers_.nodes(record.job_id);
    std::erase(nodes, keepers_.self());
    keepers_.ask(keepers_.self(), "keep", recovery::to_json(record), [](const Result<Json>&) {});
    keep_on(record, std::move(nodes));
}

// A second node must hold the record before any program may overwrite the snapshot before it: else the loss of this node
// and of one other would leave nobody who knows that the epoch is whole.
void Coordinator::keep_on(const recovery::CommitRecord& record, std::vector<std::string> nodes)
{
    if (nodes.empty()) return announce(record);
    const std::string node = nodes.front();
    nodes.erase(nodes.begin());
    keepers_.ask(node, "keep", recovery::to_json(record),
                 [this, record, nodes = std::move(nodes)](const Result<Json>& kept) mutable {
                     if (kept) return announce(record);
                     keep_on(record, std::move(nodes));
                 });
}

void Coordinator::announce(const recovery::CommitRecord& record)
{
    jobs_[record.job_id].announced = record;
    Json word = recovery::to_json(record);
    const auto every = terms_of(record.job_id).ft.spill_every;
    if (every && jobs_[record.job_id].spills.commit(record, *every)) word["spill"] = true;
    keepers_.ask_all(record.job_id, "committed", word, [](const auto&) {});
    // What earlier runs left elsewhere was for the case that this one would commit nothing.
    for (const std::string& node : std::exchange(jobs_[record.job_id].outside, {}))
        keepers_.ask(node, "drop", {{"job", record.job_id}}, [](const Result<Json>&) {});
}

void Coordinator::answer_spilled(const Json& body, const Keepers::Answer& answer)
{
    const auto epoch = recovery::spilled_from_json(body, "the files of an epoch");
    if (!epoch) return answer(error_to_json(epoch.error()));
    recovery::SpillBook& spills = jobs_[epoch->record.job_id].spills;
    if (epoch->ranks.empty())
        spills.failed(epoch->record);
    else if (spills.written(epoch->record, epoch->ranks))
        keepers_.ask_all(epoch->record.job_id, "settle", recovery::to_json(epoch->record), [](const auto&) {});
    answer(ok_with());
}

} // namespace mscale::daemon
