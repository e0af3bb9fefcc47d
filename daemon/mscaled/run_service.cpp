#include "daemon/mscaled/run_service.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "contract/parse.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds usual_detect{600};

/// Adds a node to what is known of those before it.
void add(JobProgress& whole, const std::string& name, const NodeProgress& node)
{
    const bool is_first = whole.joined == 0;
    if (is_first || node.least_step < whole.least_step)
        whole.slowest = name;
    else if (node.least_step == whole.least_step)
        whole.slowest.clear();
    whole.least_step = is_first ? node.least_step : std::min(whole.least_step, node.least_step);
    const bool is_restored = (is_first || whole.restored_at.count() > 0) && node.restored_at.count() > 0;
    whole.restored_at = is_restored ? std::max(whole.restored_at, node.restored_at) : milliseconds(0);
    whole.joined += node.joined;
    whole.left += node.left;
    whole.signs += node.signs;
}

Json to_json(const JobProgress& progress)
{
    return {{"restarts", progress.run.restarts}, {"step_id", progress.run.step},
            {"joined", progress.joined},         {"left", progress.left},
            {"least_step", progress.least_step}, {"restored_at", progress.restored_at.count()},
            {"slowest", progress.slowest},       {"signs", progress.signs}};
}

Json lost_json(const std::vector<std::pair<std::string, LostPart>>& parts)
{
    Json list = Json::array();
    for (const auto& [node, part] : parts) {
        list.push_back(to_json(part));
        list.back()["node"] = node;
    }
    return list;
}

/// The newest run's end; null where it isn't to end.
Json exit_json(const std::optional<JobExit>& exit, const recovery::Incarnation& run)
{
    if (!exit || exit->run != run) return nullptr;
    return {{"signal", exit->signal}, {"step", exit->step ? Json(*exit->step) : Json(nullptr)}};
}

/// Ranks that the newest run has lost; null where it has none.
Json gone_json(const std::optional<GoneRanks>& gone, const recovery::Incarnation& run)
{
    if (!gone || gone->run != run || gone->ranks.empty()) return nullptr;
    return {{"count", gone->ranks.size()}, {"status", gone->status}, {"ended", gone->ended}};
}

/// Why ranks of the job's newest run were refused, and which run that is; null where none was.
Json refusal_json(const std::optional<GoneRanks>& gone)
{
    if (!gone || !gone->refusal) return nullptr;
    return {{"restarts", gone->run.restarts},
            {"step_id", gone->run.step},
            {"code", entry_of(gone->refusal->code).id},
            {"text", gone->refusal->text},
            {"cure", gone->refusal->cure}};
}

/// How many of its ranks have left and ended.
std::size_t count_done(const std::optional<GoneRanks>& gone, const recovery::Incarnation& run)
{
    return gone && gone->run == run ? gone->done.size() : 0;
}

} // namespace

JobProgress join_progress(const std::map<std::string, NodeProgress>& nodes)
{
    JobProgress whole;
    unsigned counted = 0;
    for (const auto& [name, node] : nodes)
        if (node.joined > 0) whole.run = std::max(whole.run, node.run);
    for (const auto& [name, node] : nodes)
        if (node.joined > 0 && node.run == whole.run) {
            add(whole, name, node);
            ++counted;
        }
    if (counted == 1) whole.slowest.clear();
    return whole;
}

Json RunService::answer(const Asker& asker, std::uint32_t job_id, const Wish& wish)
{
    const LocalJob* job = jobs_.find(job_id);
    const auto view = sources_.view(job_id);
    if (!job || !view)
        return error_to_json(
            failure(Code::no_such_job, format("job {} holds no contract on this node", job_id)).value());
    if (asker.uid != 0 && asker.uid != job->record.uid)
        return error_to_json(failure(Code::not_yours, format("job {} isn't yours", job_id)).value());
    const contract::Ft ft =
        contract::parse_contract(job->record.contract, "ledger", contract::ProfileDirectory(site_.profiles))
            .contract.ft;
    if (contract::keeps_snapshots(ft)) // else it becomes srun, and there may be many
        if (const auto attached = attached_.attach(job_id, asker.pid); !attached) return error_to_json(attached.error());
    Json dead = Json::array();
    for (const DeadNode& node : view->dead) dead.push_back(to_json(node));
    const auto committed = sources_.committed(job_id);
    const JobProgress ranks = join_progress(view->progress);
    if (wish.end > 0 && ranks.joined > 0) sources_.end(job_id, ranks.run, wish.end);
    if (wish.end_ranks && ranks.joined > 0) sources_.end_ranks(job_id, ranks.run);
    return ok_with({{"nodes", view->nodes},
                    {"keeps_snapshots", contract::keeps_snapshots(ft)},
                    {"spares", ft.spares.value_or(0)},
                    {"resumes", ft.resume.has_value()},
                    {"detect_ms", ft.detect.value_or(usual_detect).count()},
                    {"dead", std::move(dead)},
                    {"silent", view->silent},
                    {"lost", lost_json(sources_.lost(job_id))},
                    {"ranks", to_json(ranks)},
                    {"exit", exit_json(sources_.exit(job_id), ranks.run)},
                    {"gone", gone_json(sources_.gone(job_id), ranks.run)},
                    {"refusal", refusal_json(sources_.gone(job_id))},
                    {"done", count_done(sources_.gone(job_id), ranks.run)},
                    {"committed", committed ? Json{{"epoch", committed->epoch}, {"step", committed->step}}
                                            : Json(nullptr)}});
}

} // namespace mscale::daemon
