#include "daemon/mscaled/run_relay.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

namespace {

constexpr unsigned asked_at_once = 16, asked_of_user = 2;
constexpr std::chrono::minutes known_for{1}; // since it was asked for last

Json say_no(Code code, std::string text)
{
    return error_to_json(failure(code, std::move(text)).value());
}

} // namespace

RunRelay::RunRelay(Worker& questions, Load load, Call call)
    : questions_(questions), load_(std::move(load)), call_(std::move(call)),
      open_(Seats(asked_at_once, asked_of_user), Seats(asked_at_once, asked_at_once))
{
}

void RunRelay::ask(const Asker& asker, std::uint32_t job_id, Json request, Answer answer)
{
    forget_old();
    const auto found = jobs_.find(job_id);
    if (found == jobs_.end()) return ask_slurm(asker, job_id, std::move(request), std::move(answer));
    if (asker.uid != 0 && asker.uid != found->second.uid)
        return answer(say_no(Code::not_yours, format("job {} isn't yours", job_id)));
    found->second.asked = std::chrono::steady_clock::now();
    request["uid"] = asker.uid;
    ask_node({job_id, asker.pid, std::move(request), std::move(answer)}, 0);
}

void RunRelay::ask_slurm(const Asker& asker, std::uint32_t job_id, Json request, Answer answer)
{
    Seat seat = open_.take({std::to_string(asker.uid), asker.uid == 0});
    if (!seat) return answer(say_no(Code::overloaded, "too many questions are open"));
    questions_.run<Result<JobFacts>>(
        [load = load_, job_id] { return load(job_id); },
        [this, asker, job_id, request = std::move(request), answer = std::move(answer), seat](const Result<JobFacts>& facts) {
            if (!facts) return answer(error_to_json(facts.error()));
            if (facts->nodes.empty()) return answer(say_no(Code::no_such_job, format("job {} has no nodes", job_id)));
            jobs_[job_id] = {facts->uid, facts->nodes, std::chrono::steady_clock::now()};
            ask(asker, job_id, request, answer);
        });
}

/// One that has no ledger of the job may not be set up yet, or is the one that it has lost.
void RunRelay::ask_node(const Question& question, std::size_t at)
{
    const auto found = jobs_.find(question.job_id);
    if (found == jobs_.end()) return question.answer(say_no(Code::peer, format("no node of job {} answers", question.job_id)));
    call_(found->second.nodes[at], question.body, [this, question, at](const Result<Json>& theirs) {
        if (theirs) return question.answer(take(question.job_id, question.asker, *theirs));
        const Code code = theirs.error().code;
        const bool is_elsewhere = code == Code::peer || code == Code::deadline || code == Code::no_such_job;
        const auto job = jobs_.find(question.job_id);
        if (is_elsewhere && job != jobs_.end() && at + 1 < job->second.nodes.size()) return ask_node(question, at + 1);
        if (is_elsewhere) jobs_.erase(question.job_id);
        question.answer(error_to_json(theirs.error()));
    });
}

/// The node that answered can't tell the processes of this one apart.
Json RunRelay::take(std::uint32_t job_id, pid_t asker, const Json& theirs)
{
    if (!theirs.value("keeps_snapshots", false)) return theirs;
    const auto attached = attached_.attach(job_id, asker);
    return attached ? theirs : error_to_json(attached.error());
}

void RunRelay::forget_old()
{
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(jobs_, [now](const auto& entry) { return now - entry.second.asked > known_for; });
}

} // namespace mscale::daemon
