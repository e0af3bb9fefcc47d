#include "daemon/keeper/exits.hpp"

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::seconds exits_told_again{1}; // the coordinator may have changed, or not have heard it

Json exit_event(std::uint64_t step)
{
    return {{"event", "exit"}, {"step", step}};
}

} // namespace

bool Exits::knows(const std::string& op)
{
    return op == "end" || op == "ending" || op == "at" || op == "exit";
}

/// The job's page of this run; a newer run begins it anew, an older one is over.
Exits::Job* Exits::find(std::uint32_t job_id, const recovery::Incarnation& run)
{
    Job& job = jobs_[job_id];
    if (run < job.exit.run) return nullptr;
    if (job.exit.run < run) job = Job{};
    job.exit.run = run;
    return &job;
}

std::optional<JobExit> Exits::exit_of(std::uint32_t job_id) const
{
    const auto job = jobs_.find(job_id);
    return job != jobs_.end() && job->second.noticed ? std::optional(job->second.exit) : std::nullopt;
}

void Exits::answer(const std::string& op, const Json& body, const Keepers::Answer& answer)
{
    const auto word = exit_word_from_json(body);
    if (!word) return answer(error_to_json(word.error()));
    Job* job = find(word->job_id, word->run);
    if (!job)
        return answer(error_to_json(
            failure(Code::fenced, format("job {}: a newer run has begun", word->job_id)).value()));
    if (op == "end") return answer(take_end(*job, *word));
    if (op == "at") return answer(take_at(*job, *word));
    answer(op == "ending" ? take_ending(*job, *word) : take_exit(*job, *word));
}

Json Exits::take_end(Job& job, const ExitWord& word)
{
    if (job.exit.signal == 0) job.exit.signal = word.signal;
    const bool is_known = job.last && job.last->found();
    tell_all(is_known ? "exit" : "ending", job, word.job_id);
    return ok_with();
}

Json Exits::take_at(Job& job, const ExitWord& word)
{
    if (!job.last) job.last.emplace(word.run, word.ranks);
    const bool was_known = job.last->found().has_value();
    job.last->announce(word.rank, word.step);
    const auto& found = job.last->found();
    if (found && !was_known) tell_all("exit", job, word.job_id);
    return ok_with({{"at", job.last->limit_of(word.rank)}, {"exit", found ? Json(*found) : Json(nullptr)}});
}

Json Exits::take_ending(Job& job, const ExitWord& word)
{
    job.noticed = true;
    job.exit.signal = word.signal;
    push_(word.job_id, word.run, std::nullopt, {{"event", "ending"}, {"signal", word.signal}});
    return ok_with();
}

Json Exits::take_exit(Job& job, const ExitWord& word)
{
    if (!job.exit.step)
        log_line(Level::info, format("job {} is to end (signal {}): its ranks leave after step {}", word.job_id,
                                     word.signal, word.step));
    job.noticed = true;
    job.exit.signal = word.signal;
    job.exit.step = word.step;
    push_(word.job_id, word.run, std::nullopt, exit_event(word.step));
    return ok_with();
}

void Exits::tell_all(const char* op, const Job& job, std::uint32_t job_id)
{
    ExitWord word{job_id, job.exit.run, job.exit.signal, 0, 0, 0};
    if (job.last && job.last->found()) word.step = *job.last->found();
    keepers_.ask_all(job_id, op, to_json(word), [](const auto&) {});
}

void Exits::notice(std::uint32_t job_id, const recovery::Incarnation& run, std::uint32_t signal)
{
    Job* job = find(job_id, run);
    const auto now = std::chrono::steady_clock::now();
    if (!job || job->exit.step || now - job->told < exits_told_again) return;
    job->told = now;
    const ExitWord word{job_id, run, signal, 0, 0, 0};
    keepers_.ask_coordinator(job_id, "end", to_json(word), [job_id](const Result<Json>& answer) {
        if (!answer) log_error(format("job {} is to end, and its coordinator wasn't told", job_id), answer.error());
    });
}

void Exits::announce(const recovery::Owner& owner, std::uint64_t step)
{
    const ExitWord word{owner.job_id, owner.incarnation, 0, owner.ranks, owner.rank, step};
    keepers_.ask_coordinator(owner.job_id, "at", to_json(word), [this, owner](const Result<Json>& answer) {
        const auto limit = answer ? read_member<std::uint64_t>(*answer, "at", "an answer") : tl::unexpected(answer.error());
        if (!limit) return; // the rank waits no longer than for a while
        const bool is_last = !answer->value("exit", Json(nullptr)).is_null();
        push_(owner.job_id, owner.incarnation, owner.rank,
              is_last ? exit_event(*limit) : Json{{"event", "at"}, {"step", *limit}});
    });
}

} // namespace mscale::daemon
