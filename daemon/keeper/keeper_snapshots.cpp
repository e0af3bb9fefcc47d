// mscale snapshot: what this node holds, for its owners and for root.
#include <algorithm>
#include <ctime>
#include <set>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/keeper/keeper.hpp"
#include "daemon/keeper/snapshot_view.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

namespace {

Json error_answer(Code code, std::string text, std::string cure = {})
{
    return error_to_json(failure(code, std::move(text), std::move(cure)).value());
}

Json nothing_held(std::uint32_t job_id)
{
    return error_answer(Code::no_such_job, format("no snapshot of job {} is held here", job_id),
                  "mscale snapshot list");
}

} // namespace

/// Those of a job, or (0) of all jobs, that the asker may see.
std::vector<SegmentStore::Entry> Keeper::visible(std::uint32_t job_id, uid_t asker) const
{
    auto entries = store_.entries(job_id);
    std::erase_if(entries, [asker](const SegmentStore::Entry& entry) {
        const std::scoped_lock lock(entry.segment->mutex);
        return asker != 0 && entry.segment->owner.uid != asker;
    });
    return entries;
}

Json Keeper::describe_memory(std::uint32_t job_id) const
{
    const auto entries = store_.entries(job_id);
    if (entries.empty()) return nullptr;
    const uid_t uid = entries.front().segment->owner.uid;
    Json memory{{"job", job_id}, {"bytes", store_.count_bytes(job_id)}, {"left", jobs_.find(job_id) == nullptr}};
    if (std::string exposed = exposure_of(job_id); !exposed.empty()) memory["exposed"] = std::move(exposed);
    if (const auto charged = charge_.charged_of(job_id, uid)) memory["charged"] = *charged;
    if (const auto limit = charge_.limit_of(job_id, uid))
        memory.update({{"limit", limit->limit_bytes}, {"used", limit->used_bytes}});
    return memory;
}

Json Keeper::describe(std::uint32_t job_id, uid_t asker) const
{
    const std::int64_t now = std::time(nullptr);
    Json segments = Json::array(), records = Json::array(), memory = Json::array();
    std::set<std::uint32_t> jobs;
    for (const auto& entry : visible(job_id, asker)) {
        segments.push_back(describe_segment(entry, now));
        jobs.insert(segments.back()["job"].get<std::uint32_t>());
    }
    for (const std::uint32_t job : jobs) memory.push_back(describe_memory(job));
    for (const auto& [id, record] : records_)
        if (jobs.contains(id)) records.push_back(recovery::to_json(record));
    const pid_t holder = holder_.pid();
    return {{"node", keepers_.self()},
            {"holder", holder > 0 ? Json(holder) : Json(nullptr)},
            {"segments", segments},
            {"memory", memory},
            {"records", records}};
}

void Keeper::answer_snapshots(const Asker& asker, const Json& request, const Keepers::Answer& answer)
{
    const std::string what = read_member<std::string>(request, "do", "the request").value_or("");
    const std::uint32_t job_id = read_member<std::uint32_t>(request, "job", "the request").value_or(0);
    const bool none = job_id != 0 && visible(job_id, asker.uid).empty();
    if (what == "show" && jobs_.find(job_id)) return show(job_id, asker.uid, answer);
    if (none && !store_.entries(job_id).empty())
        return answer(error_answer(Code::not_yours, format("job {} isn't yours", job_id)));
    if (none) return answer(nothing_held(job_id));
    if (what == "list" || what == "show")
        return answer(ok_with({{"nodes", Json::array({describe(job_id, asker.uid)})}}));
    if (what == "verify") return verify(job_id, asker.uid, answer);
    if (what == "drop" && job_id != 0) return answer(drop_for(asker.uid, job_id));
    answer(error_answer(Code::usage, format("'{}' can't be done with snapshots", printable(what, 20))));
}

/// What all nodes of a running job hold.
void Keeper::show(std::uint32_t job_id, uid_t asker, const Keepers::Answer& answer)
{
    if (asker != 0 && jobs_.find(job_id)->record.uid != asker)
        return answer(error_answer(Code::not_yours, format("job {} isn't yours", job_id)));
    keepers_.ask_all(job_id, "snapshots", {{"job", job_id}}, [this, job_id, answer](const auto& answers) {
        Json nodes = Json::array();
        std::vector<std::string> silent = keepers_.nodes(job_id);
        for (const auto& [node, said] : answers) {
            std::erase(silent, node);
            nodes.push_back(said.value("held", Json::object()));
        }
        answer(ok_with({{"nodes", nodes}, {"silent", silent}}));
    });
}

void Keeper::verify(std::uint32_t job_id, uid_t asker, const Keepers::Answer& answer)
{
    verifying_.run<Result<Json>>(
        [entries = visible(job_id, asker)]() -> Result<Json> { return verify_entries(entries); },
        [this, answer](const Result<Json>& checks) {
            if (!checks) return answer(error_to_json(checks.error()));
            answer(ok_with({{"node", keepers_.self()}, {"checks", *checks}}));
        });
}

/// What is dropped is gone: only root takes it from a job that may still need it.
Json Keeper::drop_for(uid_t asker, std::uint32_t job_id)
{
    if (asker != 0 && jobs_.find(job_id))
        return error_answer(Code::not_yours, format("job {} runs: its snapshots are its way back", job_id),
                      "drop them when it has ended, or ask root");
    const std::uint64_t bytes = store_.count_bytes(job_id);
    std::vector<std::shared_ptr<RankChannel>> channels;
    for (const auto& [id, program] : programs_)
        if (program.own && program.own->owner.job_id == job_id) channels.push_back(program.channel);
    for (const auto& channel : channels) channel->close(); // the programs join again, with new memory
    forget(job_id);
    log_line(Level::info,
             format("{} of snapshots of job {} were dropped by uid {}", format_bytes(bytes), job_id, asker));
    return ok_with({{"job", job_id}, {"bytes", bytes}});
}

} // namespace mscale::daemon
