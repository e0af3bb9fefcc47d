#include "daemon/keeper/coordinator.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/keeper/messages.hpp"
#include "daemon/mscaled/message.hpp"
#include "daemon/requeue/holding_search.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::seconds patience{10}; // for the daemon of a node that is starting again
constexpr std::chrono::seconds told_again{1};

/// A requeued job that finds nothing has lost it between its runs.
Error explain(Error error, const recovery::Incarnation& run)
{
    if (run.restarts > 0 && error.code == Code::no_snapshot)
        error.cure = "see [recovery] held_memory in mscale.conf: it bounds what stays of a job that waits to run again";
    return error;
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
    with_book(prepared->job_id, prepared->ranks, false, [this, p = *prepared, answer] {
        recovery::CommitBook& book = *jobs_[p.job_id].book;
        book.begin(p.incarnation, p.ranks);
        const auto record = book.prepare(p.incarnation, p.rank, p.epoch, p.step);
        if (!record) return answer(error_to_json(record.error()));
        if (*record) commit(**record);
        answer(ok_with({{"abandoned", book.abandoned()}}));
    });
}

void Coordinator::answer_skip(const Json& body, const Keepers::Answer& answer)
{
    const auto skipped = skipped_from_json(body, "a skipped snapshot");
    if (!skipped) return answer(error_to_json(skipped.error()));
    with_book(skipped->epoch.job_id, skipped->epoch.ranks, false, [this, skipped = *skipped, answer] {
        const Prepared& s = skipped.epoch;
        recovery::CommitBook& book = *jobs_[s.job_id].book;
        book.begin(s.incarnation, s.ranks);
        const auto done = book.skip(s.incarnation, s.rank, s.epoch, {skipped.held.begin(), skipped.held.end()});
        answer(done ? ok_with({{"abandoned", book.abandoned()}}) : error_to_json(done.error()));
    });
}

void Coordinator::answer_restore(const Json& body, const Keepers::Answer& answer)
{
    const auto state = restore_state_from_json(body, "the start of a run");
    if (!state) return answer(error_to_json(state.error()));
    Job& job = jobs_[state->job_id];
    if (!job.run || *job.run < state->incarnation) begin_run(job, state->incarnation);
    with_book(state->job_id, state->ranks, state->incarnation.restarts > 0,
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
    for (const auto& failed : state.failed) round.drop_copy(failed.rank, failed.epoch, failed.node);
    for (const std::uint64_t epoch : state.rejected) round.reject(epoch);
    for (const auto& ready : state.ready) round.ready(ready.rank, ready.epoch);
    for (const auto& taken : state.confirmed) round.confirm(taken.rank, taken.epoch);
    if (!round.choice()) return error_to_json(explain(round.choice().error(), state.incarnation));
    if (!*round.choice() && job.told) return error_to_json(lost_all(*job.told));
    RestoreAnswer answer{true, round.go(), round.settled(), {}, {}, round.missing()};
    if (const auto& choice = *round.choice()) {
        answer.record = choice->record;
        for (const auto& copies : choice->sources) {
            std::vector<std::string>& nodes = answer.sources.emplace_back();
            for (const recovery::HeldCopy& copy : copies) nodes.push_back(copy.node);
        }
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
    if (!job.asking) gather(state.job_id, state.ranks, state.incarnation.restarts > 0);
    return true;
}

void Coordinator::with_book(std::uint32_t job_id, std::uint32_t ranks, bool restarted,
                            std::function<void()> then)
{
    Job& job = jobs_[job_id];
    if (job.book) return then();
    job.waiting.push_back(std::move(then));
    if (job.waiting.size() == 1) gather(job_id, ranks, restarted);
}

void Coordinator::gather(std::uint32_t job_id, std::uint32_t ranks, bool restarted)
{
    Job& asking = jobs_[job_id];
    asking.asking = true;
    if (!asking.book) asking.asked = std::chrono::steady_clock::now();
    search_holdings(keepers_, job_id, restarted, [this, job_id, ranks, restarted](const HoldingAnswers& answers) {
        const auto found = jobs_.find(job_id);
        if (found == jobs_.end()) return; // the job ended meanwhile
        take_holdings(job_id, found->second, answers);
        if (restarted && found->second.records.empty()) return ask_told(job_id, ranks);
        settle_holdings(job_id, ranks);
    });
}

void Coordinator::ask_told(std::uint32_t job_id, std::uint32_t ranks)
{
    keepers_.ask_told_snapshot(job_id, [this, job_id, ranks](const Result<std::optional<std::uint64_t>>& told) {
        const auto found = jobs_.find(job_id);
        if (found == jobs_.end()) return; // the job ended meanwhile
        if (!told) return keepers_.call_after(told_again, [this, job_id, ranks] { ask_told(job_id, ranks); });
        found->second.told = *told;
        settle_holdings(job_id, ranks);
    });
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

void Coordinator::take_holdings(std::uint32_t job_id, Job& job, const std::vector<std::pair<std::string, Json>>& answers)
{
    job.records.clear();
    job.copies.clear();
    job.outside.clear();
    const std::vector<std::string> inside = keepers_.nodes(job_id);
    job.silence = std::ranges::any_of(inside, [&](const std::string& node) {
        return std::ranges::find(answers, node, &std::pair<std::string, Json>::first) == answers.end();
    });
    for (const auto& [node, json] : answers) {
        if (std::ranges::find(inside, node) == inside.end()) job.outside.push_back(node);
        auto holdings = holdings_from_json(json, node);
        if (!holdings) {
            log_error("what a node holds can't be read", holdings.error());
            continue;
        }
        std::ranges::move(holdings->records, std::back_inserter(job.records));
        std::ranges::move(holdings->copies, std::back_inserter(job.copies));
    }
}

void Coordinator::commit(const recovery::CommitRecord& record)
{
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
    keepers_.ask_all(record.job_id, "committed", recovery::to_json(record), [](const auto&) {});
    // What earlier runs left elsewhere was for the case that this one would commit nothing.
    for (const std::string& node : std::exchange(jobs_[record.job_id].outside, {}))
        keepers_.ask(node, "drop", {{"job", record.job_id}}, [](const Result<Json>&) {});
}

} // namespace mscale::daemon
