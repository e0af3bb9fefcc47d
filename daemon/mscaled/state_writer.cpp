#include "daemon/mscaled/state_writer.hpp"

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"

namespace mscale::daemon {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds judge_interval{1};
constexpr std::chrono::seconds ask_interval{5};
constexpr std::chrono::seconds retry_interval{2};
constexpr unsigned end_attempts = 12; // about five minutes, as long as slurmctld remembers a job by default

} // namespace

StateWriter::StateWriter(Loop& loop, const contract::Site& site, Cluster& cluster, Peers& peers,
                         Worker& slurm, Recorder recorder, IsAttended is_attended)
    : loop_(loop), site_(site), cluster_(cluster), peers_(peers), slurm_(slurm),
      recorder_(std::move(recorder)), is_attended_(std::move(is_attended)),
      posts_(loop, slurm, [this](std::uint32_t job_id, const Judgement& tried, const Posted& posted) {
          on_posted(job_id, tried, posted);
      })
{
    loop_.every(judge_interval, [this] {
        for (auto& [job_id, state] : states_) {
            if (!state.settled() || state.promises_snapshots()) evaluate(state);
        }
    });
    loop_.every(ask_interval, [this] { ask_missing(); });
}

void StateWriter::report(Report report)
{
    if (report.nodes.empty()) return ask_nodes(std::move(report));
    deliver(std::move(report), {});
}

void StateWriter::ask_nodes(Report report)
{
    slurm_.run<Result<JobFacts>>([job_id = report.job_id] { return load_job(job_id); },
                                 [this, report = std::move(report)](const Result<JobFacts>& facts) mutable {
                                     if (!facts && facts.error().code == Code::no_such_job) return;
                                     if (!facts || facts->nodes.empty()) {
                                         loop_.after(retry_interval, [this, report] { this->report(report); });
                                         return;
                                     }
                                     report.nodes = facts->nodes;
                                     report.uid = facts->uid;
                                     deliver(std::move(report), {});
                                 });
}

void StateWriter::deliver(Report report, std::vector<std::string> dead)
{
    const std::string writer = choose_writer(report.nodes, dead);
    if (writer.empty() || writer == cluster_.self()) return accept(report);
    Json body = to_json(report);
    peers_.call(writer, "report", std::move(body),
                [this, writer, report = std::move(report),
                 dead = std::move(dead)](const Result<Json>& answer) mutable {
                    if (answer) return;
                    log_error(format("job {}: node {} can't write the state", report.job_id, writer),
                              answer.error());
                    dead.push_back(writer);
                    deliver(std::move(report), std::move(dead));
                });
}

void StateWriter::accept(const Report& report)
{
    const auto now = Clock::now();
    ContractState& state = states_.try_emplace(report.job_id, report.job_id, now).first->second;
    state.add(report, now);
    evaluate(state);
}

Judgement StateWriter::judge(const ContractState& state) const
{
    return state.judge(Clock::now(), site_.report_deadline);
}

void StateWriter::evaluate(ContractState& state)
{
    state.attend(is_attended_(state.job_id()));
    const Judgement judgement = judge(state);
    if (judgement.comment.state == contract::State::accepted) return;
    if (state.missing().empty()) state.settle();
    posts_.submit(state.job_id(), judgement);
}

void StateWriter::on_posted(std::uint32_t job_id, const Judgement& tried, const Posted& posted)
{
    const auto found = states_.find(job_id);
    if (found == states_.end() || judge(found->second).started != tried.started) return; // of an earlier run
    if (posted.restarts) found->second.learn_run(*posted.restarts);
    if (posted.outcome == PostOutcome::kept) found->second.settle();
    if (posted.outcome == PostOutcome::moved) learn_nodes(job_id);
}

void StateWriter::learn_nodes(std::uint32_t job_id)
{
    slurm_.run<Result<JobFacts>>([job_id] { return load_job(job_id); },
                                 [this, job_id](const Result<JobFacts>& facts) {
                                     const auto found = states_.find(job_id);
                                     if (found == states_.end()) return;
                                     if (!facts)
                                         return posts_.forget(job_id); // so that silence is judged again
                                     found->second.replace_nodes(facts->nodes);
                                     evaluate(found->second);
                                 });
}

void StateWriter::ask_missing()
{
    for (const auto& [job_id, state] : states_) {
        if (state.settled()) continue;
        for (const std::string& node : state.missing()) {
            if (node != cluster_.self()) ask(job_id, node);
        }
    }
}

void StateWriter::ask(std::uint32_t job_id, const std::string& node)
{
    peers_.call(node, "ask", {{"job", job_id}}, [this, job_id](const Result<Json>& answer) {
        const auto found = states_.find(job_id);
        const auto json =
            answer ? read_member<Json>(*answer, "report", "an answer") : tl::unexpected(answer.error());
        const auto report = json ? report_from_json(*json, "a report") : tl::unexpected(json.error());
        if (found != states_.end() && report) accept(*report);
    });
}

void StateWriter::end(std::uint32_t job_id)
{
    posts_.forget(job_id);
    const auto found = states_.find(job_id);
    if (found == states_.end()) return;
    found->second.end();
    const Judgement last = judge(found->second); // a refusal that ended the job may not have been posted yet
    states_.erase(found);
    post_end(job_id, last, {});
}

void StateWriter::post_end(std::uint32_t job_id, const Judgement& last, Attempts attempts)
{
    slurm_.run<Result<bool>>(
        [job_id, last, recorder = recorder_] {
            return post_released(job_id, last, recorder.program, recorder.config);
        },
        [this, job_id, last, attempts](const Result<bool>& done) mutable {
            if (done && *done) return;
            ++(done ? attempts.completing : attempts.failed);
            if (attempts.failed >= end_attempts)
                return log_error(format("job {}: its end isn't in the accounting", job_id), done.error());
            loop_.after(done ? completing_delay(attempts.completing) : retry_delay(attempts.failed),
                        [this, job_id, last, attempts] { post_end(job_id, last, attempts); });
        });
}

const ContractState* StateWriter::find(std::uint32_t job_id) const
{
    const auto found = states_.find(job_id);
    return found == states_.end() ? nullptr : &found->second;
}

std::vector<std::uint32_t> StateWriter::jobs() const
{
    std::vector<std::uint32_t> ids;
    for (const auto& [id, state] : states_) ids.push_back(id);
    return ids;
}

std::vector<std::pair<std::string, LostPart>> StateWriter::list_lost(std::uint32_t job_id) const
{
    std::vector<std::pair<std::string, LostPart>> lost;
    const auto found = states_.find(job_id);
    if (found == states_.end()) return lost;
    for (const auto& [node, report] : found->second.reports())
        for (const LostPart& part : report.lost) lost.emplace_back(node, part);
    return lost;
}

} // namespace mscale::daemon
