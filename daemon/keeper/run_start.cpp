#include "daemon/keeper/run_start.hpp"

#include <algorithm>
#include <set>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::milliseconds poll_interval{50};
constexpr std::chrono::minutes join_patience{15}; // imports and first compilations of a rank may take minutes

std::string list_ranks(const std::vector<std::uint32_t>& ranks)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min<std::size_t>(ranks.size(), 8); ++i)
        names.push_back(std::to_string(ranks[i]));
    return join(names, ", ") + (ranks.size() > 8 ? format(" and {} more", ranks.size() - 8) : "");
}

/// Those that a rebuild reads from.
std::vector<std::string> list_nodes(const recovery::RebuildPlan& plan)
{
    std::set<std::string> nodes(plan.shards.begin(), plan.shards.end());
    nodes.insert(plan.coded.begin(), plan.coded.end());
    nodes.erase("");
    return {nodes.begin(), nodes.end()};
}

/// A program that joined again in the middle of its training was given back nothing that it could take or reject.
tl::unexpected<Error> given_back_nothing(std::uint32_t rank)
{
    return failure(Code::save_order, format("rank {} was given back no snapshot", rank));
}

} // namespace

RunStart::RunStart(Loop& loop, Keepers& keepers, Carrier& carrier, const Run& run, std::optional<SpillPlace> place)
    : loop_(loop), keepers_(keepers), carrier_(carrier), run_(run), place_(std::move(place)),
      began_(std::chrono::steady_clock::now())
{
}

void RunStart::add(std::shared_ptr<HeldSegment> own, bool elastic, Started started)
{
    const std::uint32_t number = own->owner.rank;
    ranks_[number] = {std::move(own), std::move(started), {}, {}, {}, false, elastic, false};
    poll();
}

void RunStart::confirm(std::uint32_t rank, std::uint64_t epoch, Started started)
{
    if (!ranks_.contains(rank)) return started(given_back_nothing(rank));
    ranks_[rank].confirmed = epoch;
    ranks_[rank].started = std::move(started);
    poll();
}

void RunStart::reject(std::uint32_t rank, std::uint64_t epoch, Started started)
{
    if (!ranks_.contains(rank)) return started(given_back_nothing(rank));
    rejected_.push_back(epoch);
    ranks_[rank].started = std::move(started);
    poll();
}

bool RunStart::idle() const
{
    return std::ranges::none_of(ranks_,
                                [](const auto& entry) { return static_cast<bool>(entry.second.started); }) &&
           rejected_.empty() && failed_.empty();
}

void RunStart::look_ahead()
{
    if (!asking_ && ranks_.empty()) ask();
}

void RunStart::poll()
{
    if (!asking_ && !idle()) ask();
}

void RunStart::ask()
{
    RestoreState state{run_.job_id,
                       run_.incarnation,
                       run_.ranks,
                       {},
                       {},
                       std::exchange(failed_, {}),
                       std::exchange(rejected_, {})};
    for (const auto& [number, rank] : ranks_) {
        if (rank.ready) state.ready.push_back({number, *rank.ready});
        if (rank.confirmed) state.confirmed.push_back({number, *rank.confirmed});
    }
    asking_ = true;
    keepers_.ask_coordinator(run_.job_id, "restore", to_json(state),
                             [self = shared_from_this(), failed = state.failed](const Result<Json>& answer) {
                                 self->asking_ = false;
                                 if (!answer && answer.error().code == Code::peer) // nobody has heard of them
                                     self->failed_.insert(self->failed_.end(), failed.begin(), failed.end());
                                 self->take(answer);
                                 self->loop_.after(poll_interval, [self] { self->poll(); });
                             });
}

void RunStart::take(const Result<Json>& answer)
{
    if (!answer && answer.error().code == Code::peer) return; // asked again
    if (!answer) return refuse(answer.error());
    const auto read = restore_answer_from_json(*answer, "a coordinator's answer");
    if (!read) return refuse(read.error());
    const std::uint64_t epoch = read->record ? read->record->epoch : 0;
    if (apart_ && epoch == apart_->record->epoch) apart_->sources = read->sources;
    if (read->go) let_go(epoch, read->settled);
    if (idle()) return;
    if (std::chrono::steady_clock::now() - began_ > join_patience)
        return refuse(failure(Code::deadline,
                              format("rank {} of {} has not joined", list_ranks(read->missing), run_.ranks))
                          .value());
    act(*read);
}

void RunStart::act(const RestoreAnswer& answer)
{
    if (!answer.gathered) return; // nobody knows yet what there is to go on from
    const bool apart = answer.record && answer.record->ranks != run_.ranks;
    if (apart && !std::ranges::all_of(ranks_, [](const auto& entry) { return entry.second.elastic; }))
        return refuse(failure(Code::no_snapshot,
                              format("the snapshots are of {} ranks and this run has {}",
                                     answer.record->ranks, run_.ranks),
                              "start as many ranks as wrote them, or say that the program can take its part (MSCALE_ELASTIC, "
                              "man 3 mscale_get_part; ctx.elastic in Python)")
                          .value());
    if (apart) apart_ = answer;
    const std::uint64_t epoch = answer.record ? answer.record->epoch : 0;
    for (auto& [number, rank] : ranks_) {
        if (!rank.started || rank.busy || rank.ready == epoch) continue;
        rank.ready.reset();
        rank.confirmed.reset();
        if (apart)
            offer_parts(rank, *answer.record);
        else if (answer.record)
            bring(number, rank, answer);
        else
            rank.ready = 0;
    }
}

/// The rank's memory holds nothing that is needed: what is gone on from lies in that of other ranks.
void RunStart::offer_parts(Rank& rank, const recovery::CommitRecord& record) const
{
    const std::scoped_lock lock(rank.own->mutex);
    const unsigned slot = SegmentStore::choose_slot(*rank.own, record.epoch);
    rank.own->sealed[slot].reset();
    recovery::open_slot(rank.own->memory.view(), slot);
    rank.ready = record.epoch;
    rank.point = {slot, record.epoch, record.step, record.job_id, record};
}

bool RunStart::may_read(std::uint32_t number, const recovery::PieceRequest& request) const
{
    const auto found = ranks_.find(number);
    if (found == ranks_.end() || !apart_ || request.owner.rank >= apart_->sources.size()) return false;
    const Rank& rank = found->second;
    return !rank.reading && !rank.started && !rank.confirmed && rank.point.apart && rank.ready == request.epoch &&
           apart_->record->epoch == request.epoch && request.bytes <= rank.own->memory.view().layout().data_bytes;
}

void RunStart::read(std::uint32_t number, recovery::PieceRequest request, Read done)
{
    if (!may_read(number, request))
        return done(failure(Code::save_order, format("rank {} of epoch {} isn't there to be read from, or {} bytes are too many",
                                                     request.owner.rank, request.epoch, request.bytes)));
    Rank& rank = ranks_.at(number);
    rank.reading = true;
    const recovery::CommitRecord record = *apart_->record;
    const RankSources& sources = apart_->sources[request.owner.rank];
    request.owner = recovery::owner_in(record, {0, rank.own->owner.uid, request.owner.rank, 0, {}});
    const bool here = std::ranges::find(sources.nodes, keepers_.self()) != sources.nodes.end();
    const std::vector<std::string> nodes = sources.rebuild ? list_nodes(*sources.rebuild) : sources.nodes;
    keepers_.locate(nodes, [self = shared_from_this(), own = rank.own, slot = rank.point.slot, request, record, here, sources,
                            number, done = std::move(done)](auto located) {
        Carrier::Sources from{self->keepers_.self(), {}, sources.spilled, self->place_, sources.rebuild, {}, here};
        (sources.rebuild ? from.group : from.nodes) = std::move(located);
        const auto on_read = [self, number, done](const Carrier::PieceRead& piece) {
            self->ranks_[number].reading = false;
            self->report_damage(number, piece.unusable);
            done(piece.read);
        };
        self->carrier_.read_piece(own, slot, request, record, std::move(from), on_read);
    });
}

/// The copies are neither read from again nor chosen: the coordinator hears of them, though no rank waits for its answer.
void RunStart::report_damage(std::uint32_t number, const std::vector<Carrier::Brought::Unusable>& unusable)
{
    for (const auto& [owner, node, tier, why] : unusable) {
        log_error(format("job {} rank {} reads what rank {} wrote", run_.job_id, number, owner), why);
        failed_.push_back({owner, apart_->record->epoch, node, tier, to_line(why)});
        std::erase(apart_->sources[owner].nodes, node);
    }
    if (!unusable.empty()) poll();
}

void RunStart::bring(std::uint32_t number, Rank& rank, const RestoreAnswer& answer)
{
    rank.busy = true;
    const RankSources sources = number < answer.sources.size() ? answer.sources[number] : RankSources();
    std::vector<std::string> nodes = sources.nodes;
    if (sources.rebuild) nodes = list_nodes(*sources.rebuild);
    keepers_.locate(nodes, [self = shared_from_this(), number, own = rank.own, record = *answer.record, sources](auto located) {
        Carrier::Sources from{self->keepers_.self(), {}, sources.spilled, self->place_, sources.rebuild, {}, false};
        (sources.rebuild ? from.group : from.nodes) = std::move(located);
        self->carrier_.bring_in(own, record, std::move(from), [self, number, record](const Result<Carrier::Brought>& brought) {
            self->on_brought(number, record, brought);
            self->poll();
        });
    });
}

void RunStart::on_brought(std::uint32_t number, const recovery::CommitRecord& record,
                          const Result<Carrier::Brought>& brought)
{
    Rank& rank = ranks_[number];
    rank.busy = false;
    const std::string what = format("job {} rank {} epoch {}", run_.job_id, number, record.epoch);
    if (!brought) return log_error(what, brought.error()); // asked for again
    for (const auto& [owner, node, tier, why] : brought->unusable) {
        log_error(what, why);
        failed_.push_back({owner, record.epoch, node, tier, to_line(why)});
    }
    if (!brought->slot) return;
    rank.ready = record.epoch;
    rank.point = {*brought->slot, record.epoch, record.step, record.job_id, {}};
}

/// A rank that has its snapshot takes it; one that has taken it goes on when all have.
void RunStart::let_go(std::uint64_t epoch, bool settled)
{
    for (auto& [number, rank] : ranks_) {
        if (!rank.started || rank.ready != epoch || (rank.confirmed == epoch && !settled)) continue;
        const auto started = std::exchange(rank.started, {});
        started(epoch == 0 ? std::nullopt : std::optional(rank.point));
    }
}

void RunStart::refuse(const Error& error)
{
    for (auto& [number, rank] : ranks_)
        if (const auto started = std::exchange(rank.started, {})) started(tl::unexpected(error));
}

} // namespace mscale::daemon
