#include "daemon/coding/group_coder.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::milliseconds members_again{200};
constexpr std::chrono::seconds members_patience{60};

/// Of each rank the newest two epochs: a rank has two slots.
template <class Map> void keep_newest(Map& shards, std::uint32_t rank)
{
    std::vector<typename Map::iterator> of_rank;
    for (auto entry = shards.begin(); entry != shards.end(); ++entry)
        if (entry->first.rank == rank) of_rank.push_back(entry);
    for (std::size_t i = 0; i + recovery::SegmentLayout::slots < of_rank.size(); ++i) shards.erase(of_rank[i]);
}

Json members_question(const GroupCoder::Run& run)
{
    return {{"job", run.job_id}, {"restarts", run.incarnation.restarts}, {"step_id", run.incarnation.step}};
}

/// Nobody waits for the save any more: the program may have written over it.
bool is_over(const HeldSegment& own, const recovery::SlotHeader& header, const recovery::Incarnation& run)
{
    const recovery::SegmentView view = own.memory.view();
    const bool restored = header.owner.incarnation != run; // committed; what was abandoned is of this run
    return view.committed_epoch() > header.epoch || (!restored && view.abandoned_epoch() >= header.epoch);
}

bool is_same_save(const recovery::SlotHeader& a, const recovery::SlotHeader& b)
{
    return a.owner.job_id == b.owner.job_id && a.owner.incarnation == b.owner.incarnation && a.epoch == b.epoch &&
           a.step == b.step;
}

} // namespace

GroupCoder::GroupCoder(Loop& loop, Keepers& keepers, SegmentStore& store, const recovery::Introduction& introduction,
                       const recovery::Timing& timing, Hooks hooks)
    : keepers_(keepers), store_(store), hooks_(std::move(hooks)), pieces_(store, introduction, timing), coding_(loop)
{
}

/// Null for a run that a newer one has followed.
GroupCoder::Job* GroupCoder::find_job(std::uint32_t job_id, const recovery::Incarnation& run)
{
    Job& job = jobs_[job_id];
    if (run < job.run.incarnation) return nullptr;
    if (job.run.job_id != job_id || job.run.incarnation < run) {
        end_placing(job, failure(Code::fenced, format("job {}: a newer run has begun", job_id)));
        job = Job{};
        job.run.job_id = job_id;
        job.run.incarnation = run;
    }
    return &job;
}

void GroupCoder::place(const Run& run, Placed placed)
{
    Job* job = find_job(run.job_id, run.incarnation);
    if (!job) return placed(failure(Code::fenced, format("job {}: a newer run has begun", run.job_id)));
    job->run = run;
    if (!job->groups.empty()) return placed({});
    job->waiting.push_back(std::move(placed));
    if (job->waiting.size() > 1) return;
    job->asked = std::chrono::steady_clock::now();
    ask_members(run);
}

void GroupCoder::ask_members(const Run& run)
{
    keepers_.ask_all(run.job_id, "members", members_question(run),
                     [this, run](const auto& answers) { take_members(run, answers); });
}

void GroupCoder::take_members(const Run& run, const std::vector<std::pair<std::string, Json>>& answers)
{
    const auto found = jobs_.find(run.job_id);
    if (found == jobs_.end() || found->second.run != run) return;
    Job& job = found->second;
    job.nodes.clear();
    std::vector<recovery::RankPlace> places;
    for (const auto& [node, answer] : answers)
        for (const std::uint32_t rank :
             read_member<std::vector<std::uint32_t>>(answer, "ranks", "an answer").value_or(std::vector<std::uint32_t>()))
            if (rank < run.ranks && job.nodes.emplace(rank, node).second)
                places.push_back({rank, node, answer.value("domain", "")});
    if (places.size() < run.ranks && std::chrono::steady_clock::now() - job.asked < members_patience)
        return keepers_.call_after(members_again, [this, run] { ask_members(run); });
    if (places.size() < run.ranks)
        return end_placing(job, failure(Code::deadline, format("only {} of {} ranks of job {} are known to run", places.size(),
                                                               run.ranks, run.job_id)));
    end_placing(job, form_groups(job, places));
}

/// Apart by failure domains, else by nodes, which is told.
Result<void> GroupCoder::form_groups(Job& job, const std::vector<recovery::RankPlace>& places)
{
    const recovery::CodingScheme& scheme = job.run.scheme;
    auto groups = recovery::place_groups(places, scheme);
    if (!groups) {
        std::vector<recovery::RankPlace> alone = places;
        for (recovery::RankPlace& place : alone) place.domain.clear();
        groups = recovery::place_groups(std::move(alone), scheme);
    }
    if (!groups) return tl::unexpected(std::move(groups.error()));
    job.groups = std::move(*groups);
    job.exposure = recovery::find_exposing_domain(places, job.groups, scheme.parity);
    return {};
}

std::string GroupCoder::exposure_of(std::uint32_t job_id) const
{
    const auto found = jobs_.find(job_id);
    return found == jobs_.end() ? std::string() : found->second.exposure;
}

std::string GroupCoder::domain_for(std::uint32_t job_id, const recovery::Incarnation& run)
{
    Job* job = find_job(job_id, run);
    if (!job) return "";
    if (!job->domain) job->domain = keepers_.domain_of(keepers_.self());
    return *job->domain;
}

void GroupCoder::end_placing(Job& job, const Result<void>& placed)
{
    for (const Placed& told : std::exchange(job.waiting, {})) told(placed);
}

void GroupCoder::seal(const Run& run, std::shared_ptr<HeldSegment> own, const recovery::SlotHeader& header)
{
    Job* job = find_job(run.job_id, run.incarnation);
    if (!job) return;
    const ShardKey key{header.owner.rank, header.epoch};
    const Shard shard{header, own->memory.view().layout().data_bytes};
    job->own[key] = {std::move(own), shard, false, false, ""};
    job->shards[key] = shard;
    keep_newest(job->own, key.rank);
    keep_newest(job->shards, key.rank);
    place(run, [this, run, key](const Result<void>& placed) {
        if (placed) return tell(run, key);
        log_error(format("job {} rank {} epoch {} isn't coded", run.job_id, key.rank, key.epoch), placed.error());
    });
}

const std::vector<std::uint32_t>* GroupCoder::group_of(const Job& job, std::uint32_t rank)
{
    for (const auto& group : job.groups)
        if (std::ranges::find(group, rank) != group.end()) return &group;
    return nullptr;
}

/// To the nodes of the rank's group; each says in turn what its own ranks have.
void GroupCoder::tell(const Run& run, const ShardKey& key)
{
    const auto found = jobs_.find(run.job_id);
    if (found == jobs_.end() || found->second.run != run) return;
    Job& job = found->second;
    const auto own = job.own.find(key);
    const auto* group = group_of(job, key.rank);
    if (own == job.own.end() || group == nullptr) return;
    std::set<std::string> nodes;
    for (const std::uint32_t rank : *group) nodes.insert(job.nodes.at(rank));
    nodes.erase(keepers_.self());
    const Json news = to_json(ShardNews{run.job_id, run.incarnation, {own->second.shard}});
    for (const std::string& node : nodes)
        keepers_.ask(node, "shards", news, [this](const Result<Json>& answer) {
            if (answer) take_news(*answer); // a silent node is told again
        });
    code_ready(job);
}

void GroupCoder::take_news(const Json& json)
{
    const auto news = shard_news_from_json(json, "the shards of a node");
    if (!news) return log_error("a keeper of a group", news.error());
    const auto found = jobs_.find(news->job_id);
    Job* job = found == jobs_.end() ? nullptr : find_job(news->job_id, news->run);
    if (!job) return;
    for (const Shard& shard : news->shards) {
        job->shards[{shard.header.owner.rank, shard.header.epoch}] = shard;
        keep_newest(job->shards, shard.header.owner.rank);
    }
    code_ready(*job);
}

void GroupCoder::answer(const std::string& op, const Json& body, const Keepers::Answer& answer)
{
    if (op == "members") {
        const auto job_id = read_member<std::uint32_t>(body, "job", "the request");
        const auto restarts = read_member<std::uint32_t>(body, "restarts", "the request");
        const auto step = read_member<std::uint32_t>(body, "step_id", "the request");
        if (!job_id || !restarts || !step) return answer(error_to_json(failure(Code::json_member, "no run is named").value()));
        const recovery::Incarnation run{*restarts, *step};
        return answer(ok_with({{"ranks", hooks_.local_ranks(*job_id, run)}, {"domain", domain_for(*job_id, run)}}));
    }
    const auto news = shard_news_from_json(body, "the shards of a node");
    if (!news) return answer(error_to_json(news.error()));
    Job* job = find_job(news->job_id, news->run);
    if (!job) return answer(error_to_json(failure(Code::fenced, format("job {}: a newer run has begun", news->job_id)).value()));
    answer(list_own(*job));
    take_news(body);
}

Json GroupCoder::list_own(const Job& job) const
{
    ShardNews news{job.run.job_id, job.run.incarnation, {}};
    for (const auto& [key, own] : job.own) news.shards.push_back(own.shard);
    return to_json(news);
}

void GroupCoder::code_ready(Job& job)
{
    for (auto& [key, own] : job.own) {
        if (own.busy || own.done) continue;
        auto work = find_work(job, own);
        if (!work) continue;
        own.busy = true;
        work->self = keepers_.self();
        begin(job.run, key, std::move(*work));
    }
}

/// Nothing until every member of the rank's group has sealed the same save.
std::optional<GroupCoder::Work> GroupCoder::find_work(const Job& job, const OwnShard& own)
{
    const recovery::SlotHeader& header = own.shard.header;
    const auto* ranks = group_of(job, header.owner.rank);
    if (ranks == nullptr) return std::nullopt;
    Work work;
    work.order.shard = header;
    work.order.owner = header.owner;
    work.order.owner.incarnation = job.run.incarnation;
    work.order.group.parity = job.run.scheme.parity;
    std::uint64_t capacity = 0;
    for (const std::uint32_t rank : *ranks) {
        const auto shard = job.shards.find({rank, header.epoch});
        if (shard == job.shards.end() || !is_same_save(shard->second.header, header)) return std::nullopt;
        work.order.group.members.push_back({rank, shard->second.header.data_bytes, shard->second.header.manifest_bytes});
        work.nodes.push_back(job.nodes.at(rank));
        capacity = std::max(capacity, shard->second.capacity);
    }
    work.order.room = recovery::count_coded_room(job.run.scheme, capacity);
    return work;
}

void GroupCoder::begin(const Run& run, const ShardKey& key, Work work)
{
    std::vector<std::string> others = work.nodes;
    std::erase(others, work.self);
    keepers_.locate(others, [this, run, key, work = std::move(work)](auto keepers) mutable {
        work.keepers = std::move(keepers);
        coding_.run<Result<void>>([this, work = std::move(work)] { return code(work); },
                                  [this, run, key](const Result<void>& made) { on_coded(run, key, made); });
    });
}

Result<void> GroupCoder::code(const Work& work)
{
    const recovery::SlotHeader& shard = work.order.shard;
    const auto held = store_.find(shard.owner, SegmentStore::Kind::coded);
    if (!held || held->memory.view().layout().data_bytes < work.order.room)
        if (auto admitted = hooks_.admit(work.order.room); !admitted) return admitted;
    const auto read = [&](const recovery::GroupPiece& piece, std::span<std::byte> place) -> Result<void> {
        const std::string& node = work.nodes[piece.member];
        const auto keeper = std::ranges::find(work.keepers, node, &KeeperAddress::node);
        if (node != work.self && keeper == work.keepers.end())
            return failure(Code::peer, "the address of node " + node + " isn't known");
        recovery::Owner owner = shard.owner;
        owner.rank = work.order.group.members[piece.member].rank;
        return pieces_.read(node == work.self ? nullptr : &*keeper, {owner, shard.epoch, piece.kind, piece.at, piece.bytes}, place);
    };
    const auto made = write_coded_slot(store_, work.order, read);
    if (!made) return tl::unexpected(made.error());
    return {};
}

void GroupCoder::on_coded(const Run& run, const ShardKey& key, const Result<void>& made)
{
    const auto found = jobs_.find(run.job_id);
    if (found == jobs_.end() || found->second.run != run) return;
    const auto entry = found->second.own.find(key);
    if (entry == found->second.own.end()) return; // the rank has saved twice since
    OwnShard& own = entry->second;
    own.busy = false;
    own.done = made.has_value();
    if (!made && own.fault != made.error().text)
        log_error(format("the coded part of job {} rank {} epoch {}", run.job_id, key.rank, key.epoch), made.error());
    own.fault = made ? "" : made.error().text;
    const auto memory = own.own;
    const recovery::SlotHeader header = own.shard.header;
    hooks_.coded(memory, header, made);
}

void GroupCoder::again()
{
    std::vector<std::pair<Run, ShardKey>> open;
    for (auto& [job_id, job] : jobs_)
        for (const auto& [key, own] : job.own)
            if (job.waiting.empty() && !own.busy && !own.done && !is_over(*own.own, own.shard.header, job.run.incarnation))
                open.emplace_back(job.run, key);
    for (const auto& [run, key] : open)
        place(run, [this, run, key](const Result<void>& placed) {
            if (placed) tell(run, key);
        });
}

} // namespace mscale::daemon
