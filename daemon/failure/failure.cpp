#include "daemon/failure/failure.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "contract/parse.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t pings_waiting = 8; // while slurmctld can't be reached, nobody waits for an answer
constexpr std::chrono::milliseconds default_detect = 600ms;
constexpr std::chrono::milliseconds told_silent = 5s;
constexpr std::int64_t most_vote_ms = 2000; // an answer is waited for no longer than Peers does

/// Only what is held is watched: nothing is set up for a job that is observed.
bool may_be_watched(const LocalJob& job)
{
    return job.record.stage == contract::Stage::applied && !job.record.observe && job.record.nodes.size() > 1;
}

Json no_such_job()
{
    return error_to_json(failure(Code::no_such_job, "this run of the job isn't watched here").value());
}

} // namespace

Failure::Failure(Loop& loop, const contract::Site& site, const Jobs& jobs, JobWatch::Progress progress,
                 PeerNetwork network, Fd socket)
    : loop_(loop), site_(site), jobs_(jobs), progress_(std::move(progress)), network_(std::move(network)),
      pings_(loop, pings_waiting), burials_(loop), voter_(loop, network_, pings_, reaches_slurmctld),
      socket_(loop, std::move(socket), [this](std::string_view bytes) { take(bytes); })
{
}

bool Failure::is_current(std::uint32_t job_id, const contract::Run& run) const
{
    const LocalJob* job = jobs_.find(job_id);
    return job && may_be_watched(*job) && job->run == run;
}

void Failure::follow()
{
    if (network_.self().empty()) return;
    std::erase_if(entries_, [this](const auto& entry) {
        if (is_current(entry.first, entry.second.run)) return false;
        if (entry.second.watch) entry.second.watch->end();
        return true;
    });
    for (const auto& [job_id, job] : jobs_.all())
        if (may_be_watched(job) && !entries_.contains(job_id)) entries_[job_id] = {job.run, start_watch(job)};
}

std::shared_ptr<JobWatch> Failure::start_watch(const LocalJob& job)
{
    const auto parsed =
        contract::parse_contract(job.record.contract, "ledger", contract::ProfileDirectory(site_.profiles));
    const contract::Ft& ft = parsed.contract.ft;
    if (!contract::keeps_snapshots(ft)) return nullptr;
    return JobWatch::start({{loop_, site_, network_, voter_, burials_, set_down}, socket_, progress_},
                           {{job.record.job_id, job.record.restart_count},
                            job.record.nodes,
                            recovery::derive_timing(ft.detect.value_or(default_detect))});
}

void Failure::take(std::string_view bytes)
{
    const auto beat = read_beat(bytes);
    if (!beat) return; // anybody can send it
    const auto found = entries_.find(beat->job_id);
    if (found != entries_.end() && found->second.watch) found->second.watch->take(*beat, bytes);
}

bool Failure::knows(const std::string& op)
{
    return op == "beat_key" || op == "vote" || op == "dead";
}

std::shared_ptr<JobWatch> Failure::find(const Json& body) const
{
    const auto job_id = read_member<std::uint32_t>(body, "job", "the request");
    const auto run = read_member<std::uint32_t>(body, "run", "the request");
    const auto found = job_id && run ? entries_.find(*job_id) : entries_.end();
    if (found == entries_.end() || !found->second.watch) return nullptr;
    return found->second.watch->job().run.restarts == *run ? found->second.watch : nullptr;
}

void Failure::answer(const std::string& op, const Json& body, const Answer& answer)
{
    if (op == "vote") return answer_vote(body, answer);
    const auto watch = find(body);
    if (!watch) return answer(no_such_job());
    if (op == "beat_key") return answer(ok_with({{"key", watch->tell_key()}}));
    const auto told = read_member<Json>(body, "dead", "the request");
    const auto dead = told ? dead_from_json(*told, "the request") : tl::unexpected(told.error());
    if (!dead) return answer(error_to_json(dead.error()));
    watch->settle(*dead);
    answer(ok_with());
}

void Failure::answer_vote(const Json& body, const Answer& answer)
{
    const auto node = read_member<std::string>(body, "node", "the request");
    const auto limit = read_member<std::int64_t>(body, "limit_ms", "the request");
    if (!node) return answer(error_to_json(node.error()));
    if (!limit) return answer(error_to_json(limit.error()));
    const std::chrono::milliseconds bounded(std::clamp<std::int64_t>(*limit, 1, most_vote_ms));
    voter_.vote(
        *node, bounded, [watch = find(body), node = *node] { return !watch || watch->is_silent(node); },
        [answer](const Ballot& ballot) { answer(ok_with(to_json(ballot))); });
}

bool Failure::is_dead(std::uint32_t job_id, const std::string& node) const
{
    const auto known = view(job_id);
    return known && std::ranges::any_of(known->dead, [&](const DeadNode& dead) { return dead.node == node; });
}

std::optional<JobView> Failure::view(std::uint32_t job_id) const
{
    const LocalJob* job = jobs_.find(job_id);
    if (!job) return std::nullopt;
    JobView view;
    view.nodes = job->record.nodes;
    const auto found = entries_.find(job_id);
    if (found != entries_.end() && found->second.watch && found->second.run == job->run) {
        view.dead = found->second.watch->hearing().dead();
        view.progress = found->second.watch->hearing().progress();
        view.silent = found->second.watch->hearing().silent(read_clocks(), told_silent);
    }
    view.progress[network_.self()] = progress_(job_id);
    return view;
}

} // namespace mscale::daemon
