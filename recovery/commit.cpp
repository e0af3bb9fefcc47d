#include "recovery/commit.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/json.hpp"
#include "base/text.hpp"
#include "recovery/segment.hpp"

namespace mscale::recovery {
namespace {

/// A member that is a whole number and fits; JSON's own conversion would wrap.
template <class T>
Result<void> take_number(const Json& json, const char* key, const std::string& what, T& field)
{
    const bool there = json.is_object() && json.contains(key) && json[key].is_number_unsigned();
    if (!there || json[key].get<std::uint64_t>() > std::numeric_limits<T>::max())
        return failure(Code::json_member, format("{}: member '{}' is no number that fits", what, key));
    field = json[key].get<T>();
    return {};
}

std::string name_run(const Incarnation& incarnation)
{
    return format("run {}.{}", incarnation.restarts, incarnation.step);
}

} // namespace

bool is_newer(const CommitRecord& a, const CommitRecord& b)
{
    return std::tie(a.incarnation, a.epoch) > std::tie(b.incarnation, b.epoch);
}

Owner owner_in(const CommitRecord& record, const Owner& rank)
{
    return {record.job_id, rank.uid, rank.rank, record.ranks, record.incarnation};
}

Json to_json(const CommitRecord& record)
{
    return {{"job", record.job_id},
            {"restarts", record.incarnation.restarts},
            {"step_id", record.incarnation.step},
            {"ranks", record.ranks},
            {"epoch", record.epoch},
            {"step", record.step}};
}

Result<CommitRecord> commit_from_json(const Json& json, const std::string& what)
{
    CommitRecord record;
    for (const Result<void>& taken :
         {take_number(json, "job", what, record.job_id),
          take_number(json, "restarts", what, record.incarnation.restarts),
          take_number(json, "step_id", what, record.incarnation.step),
          take_number(json, "ranks", what, record.ranks), take_number(json, "epoch", what, record.epoch),
          take_number(json, "step", what, record.step)})
        if (!taken) return tl::unexpected(taken.error());
    if (record.ranks == 0 || record.ranks > most_ranks || record.epoch == 0)
        return failure(Code::json_member,
                       format("{}: {} ranks and epoch {} can't be", what, record.ranks, record.epoch));
    return record;
}

void CommitBook::adopt(const CommitRecord& record)
{
    if (record.job_id != job_id_ || (newest_ && !is_newer(record, *newest_))) return;
    begin(record.incarnation, record.ranks);
    newest_ = record;
    if (record.incarnation == incarnation_) rounds_.erase(rounds_.begin(), rounds_.upper_bound(record.epoch));
}

void CommitBook::begin(const Incarnation& incarnation, std::uint32_t ranks)
{
    if (incarnation <= incarnation_) return;
    incarnation_ = incarnation;
    ranks_ = ranks;
    abandoned_ = 0;
    rounds_.clear();
    reached_.clear();
}

Result<void> CommitBook::check(const Incarnation& incarnation, std::uint32_t rank, std::uint64_t epoch) const
{
    if (incarnation < incarnation_)
        return failure(Code::fenced, format("{} of job {} prepares epoch {}, but {} has begun",
                                            name_run(incarnation), job_id_, epoch, name_run(incarnation_)));
    if (incarnation > incarnation_)
        return failure(Code::save_order, format("{} of job {} prepares epoch {} before it has begun",
                                                name_run(incarnation), job_id_, epoch));
    if (rank >= ranks_ || epoch == 0)
        return failure(Code::save_order, format("epoch {} of rank {} of {}", epoch, rank, ranks_));
    return {};
}

bool CommitBook::is_closed(std::uint32_t rank, std::uint64_t epoch) const
{
    if (epoch <= abandoned_) return true;
    if (newest_ && newest_->incarnation == incarnation_ && epoch <= newest_->epoch) return true;
    const auto reached = reached_.find(rank);
    return reached != reached_.end() && epoch <= reached->second.passed && !reached->second.held.contains(epoch);
}

bool CommitBook::is_alive(std::uint64_t epoch) const
{
    return std::ranges::all_of(reached_, [epoch](const auto& of_rank) {
        return epoch > of_rank.second.passed || of_rank.second.held.contains(epoch);
    });
}

/// The epochs that were spoken of and are neither committed nor abandoned yet.
std::set<std::uint64_t> CommitBook::list_open() const
{
    std::set<std::uint64_t> open;
    for (const auto& [epoch, round] : rounds_) open.insert(epoch);
    for (const auto& [rank, reached] : reached_) {
        open.insert(reached.passed);
        open.insert(reached.held.begin(), reached.held.end());
    }
    const bool committed = newest_ && newest_->incarnation == incarnation_;
    open.erase(open.begin(), open.upper_bound(std::max(abandoned_, committed ? newest_->epoch : 0)));
    return open;
}

// Up to the oldest that can still be committed: a rank may write over all that is abandoned, at once.
void CommitBook::abandon()
{
    for (const std::uint64_t epoch : list_open()) {
        if (is_alive(epoch)) break;
        abandoned_ = epoch;
    }
    rounds_.erase(rounds_.begin(), rounds_.upper_bound(abandoned_));
    for (auto& [rank, reached] : reached_)
        reached.held.erase(reached.held.begin(), reached.held.upper_bound(abandoned_));
}

Result<std::optional<CommitRecord>> CommitBook::prepare(const Incarnation& incarnation, std::uint32_t rank,
                                                        std::uint64_t epoch, std::uint64_t step)
{
    if (auto checked = check(incarnation, rank, epoch); !checked)
        return tl::unexpected(std::move(checked.error()));
    if (is_closed(rank, epoch)) return std::nullopt;
    Round& round = rounds_.try_emplace(epoch, Round{step, {}}).first->second;
    if (round.step != step)
        return failure(Code::save_order, format("epoch {}: rank {} saved step {}, others step {}", epoch,
                                                rank, step, round.step));
    round.prepared.insert(rank);
    Reached& reached = reached_[rank];
    reached.held.insert(epoch);
    if (reached.held.size() > SegmentLayout::slots) reached.held.erase(reached.held.begin());
    reached.passed = std::max(reached.passed, epoch);
    const bool whole = round.prepared.size() == ranks_;
    if (whole) adopt({job_id_, incarnation, ranks_, epoch, step});
    abandon();
    return whole ? newest_ : std::nullopt;
}

Result<void> CommitBook::skip(const Incarnation& incarnation, std::uint32_t rank, std::uint64_t epoch,
                              const std::set<std::uint64_t>& held)
{
    if (auto checked = check(incarnation, rank, epoch); !checked) return checked;
    Reached& reached = reached_[rank];
    if (epoch > reached.passed)
        reached = {epoch, {held.begin(), held.lower_bound(epoch)}};
    else
        reached.held.erase(epoch);
    abandon();
    return {};
}

} // namespace mscale::recovery
