#include "daemon/mscaled/status_service.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"
#include "daemon/mscaled/status.hpp"

namespace mscale::daemon {

namespace {

constexpr unsigned questions_open = 32, questions_of_user = 4;
constexpr std::size_t nodes_asked = 64; // beyond, the writer's view stands for the nodes

/// What the nodes of a job have said so far, until the last has spoken or failed.
struct Gathering {
    std::vector<Json> parts;
    std::size_t waiting = 0;
    StatusService::Answer answer;
};

bool may_see(uid_t asker, uid_t owner)
{
    return asker == 0 || asker == owner;
}

StatusService::Answer hold(Seat seat, StatusService::Answer answer)
{
    return [seat = std::move(seat), answer = std::move(answer)](Json json) { answer(std::move(json)); };
}

Json not_yours(std::uint32_t job_id)
{
    return error_to_json(failure(Code::not_yours, format("job {} isn't yours", job_id)).value());
}

Json no_such_job(std::uint32_t job_id)
{
    return error_to_json(failure(Code::no_such_job, format("job {} holds no contract", job_id)).value());
}

void finish(const Gathering& gathering, std::uint32_t job_id)
{
    const Json whole = merge_status(gathering.parts);
    gathering.answer(whole.is_null() ? no_such_job(job_id) : ok_with({{"jobs", Json::array({whole})}}));
}

void take(Gathering& gathering, const Result<Json>& answer, std::uint32_t job_id)
{
    const auto jobs =
        answer ? read_member<Json>(*answer, "jobs", "an answer") : tl::unexpected(answer.error());
    if (jobs && jobs->is_array() && !jobs->empty()) gathering.parts.push_back(jobs->front());
    if (--gathering.waiting == 0) finish(gathering, job_id);
}

} // namespace

StatusService::StatusService(const contract::Site& site, Jobs& jobs, StateWriter& states, Cluster& cluster,
                             Peers& peers, Worker& questions,
                             std::function<Json(std::uint32_t job_id)> snapshots)
    : site_(site), jobs_(jobs), states_(states), cluster_(cluster), peers_(peers), questions_(questions),
      snapshots_(std::move(snapshots)),
      open_(Seats(questions_open, questions_of_user), Seats(questions_open, questions_open))
{
}

Json StatusService::part(std::uint32_t job_id) const
{
    const LocalJob* job = jobs_.find(job_id);
    const ContractState* state = states_.find(job_id);
    Json json = job ? status_of(*job, cluster_.self(), site_.profiles) : Json();
    if (Json snapshots = job ? snapshots_(job_id) : Json(); !snapshots.is_null())
        json["nodes"][0]["snapshots"] = std::move(snapshots);
    if (state) add_state(json, *state, states_.judge(*state), cluster_.self());
    return json;
}

Json StatusService::list(uid_t uid) const
{
    Json list = Json::array();
    for (const auto& [job_id, job] : jobs_.all()) {
        if (may_see(uid, job.record.uid)) list.push_back(part(job_id));
    }
    return ok_with({{"jobs", list}});
}

Json StatusService::answer_part(std::uint32_t job_id, uid_t uid) const
{
    const Json json = part(job_id);
    if (json.is_null()) return no_such_job(job_id);
    if (!may_see(uid, json.value("uid", uid_t{0}))) return not_yours(job_id);
    return ok_with({{"jobs", Json::array({json})}});
}

void StatusService::answer(std::uint32_t job_id, uid_t uid, Answer answer)
{
    Seat seat = open_.take({std::to_string(uid), uid == 0});
    if (!seat) return answer(error_to_json(failure(Code::overloaded, "too many questions are open").value()));
    answer = hold(std::move(seat), std::move(answer));
    const LocalJob* job = jobs_.find(job_id);
    if (!job || job->record.nodes.empty()) return ask_slurm(job_id, uid, std::move(answer));
    if (!may_see(uid, job->record.uid)) return answer(not_yours(job_id));
    gather(job_id, uid, job->record.nodes, std::move(answer));
}

void StatusService::ask_slurm(std::uint32_t job_id, uid_t uid, Answer answer)
{
    questions_.run<Result<JobFacts>>(
        [job_id] { return load_job(job_id); },
        [this, job_id, uid, answer = std::move(answer)](const Result<JobFacts>& facts) {
            if (!facts) return answer(error_to_json(facts.error()));
            if (!may_see(uid, facts->uid)) return answer(not_yours(job_id));
            gather(job_id, uid, facts->nodes, answer);
        });
}

void StatusService::gather(std::uint32_t job_id, uid_t uid, const std::vector<std::string>& nodes,
                           Answer answer)
{
    const auto gathering = std::make_shared<Gathering>();
    gathering->answer = std::move(answer);
    gathering->waiting = 1; // this node
    for (std::size_t i = 0; i < nodes.size() && i < nodes_asked; ++i) {
        if (nodes[i] == cluster_.self()) continue;
        ++gathering->waiting;
        peers_.call(nodes[i], "status", {{"job", job_id}, {"uid", uid}},
                    [gathering, job_id](const Result<Json>& theirs) { take(*gathering, theirs, job_id); });
    }
    take(*gathering, answer_part(job_id, uid), job_id);
}

} // namespace mscale::daemon
