#include "recovery/commit.hpp"

#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::recovery {

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
    const auto take = [&](const char* key, auto& field) -> Result<void> {
        auto value = read_member<std::remove_reference_t<decltype(field)>>(json, key, what);
        if (!value) return tl::unexpected(std::move(value.error()));
        field = *value;
        return {};
    };
    for (const Result<void>& taken :
         {take("job", record.job_id), take("restarts", record.incarnation.restarts),
          take("step_id", record.incarnation.step), take("ranks", record.ranks), take("epoch", record.epoch),
          take("step", record.step)})
        if (!taken) return tl::unexpected(taken.error());
    return record;
}

void CommitBook::adopt(const CommitRecord& record)
{
    if (newest_ && newest_->epoch >= record.epoch) return;
    newest_ = record;
    rounds_.erase(rounds_.begin(), rounds_.upper_bound(record.epoch));
}

void CommitBook::begin(const Incarnation& incarnation, std::uint32_t ranks)
{
    if (incarnation <= incarnation_) return;
    incarnation_ = incarnation;
    ranks_ = ranks;
    rounds_.clear();
}

Result<std::optional<CommitRecord>> CommitBook::prepare(const Incarnation& incarnation, std::uint32_t rank,
                                                        std::uint64_t epoch, std::uint64_t step)
{
    if (incarnation < incarnation_)
        return failure(Code::fenced, format("run {}.{} of job {} prepares epoch {}, but run {}.{} has begun",
                                            incarnation.restarts, incarnation.step, job_id_, epoch,
                                            incarnation_.restarts, incarnation_.step));
    if (rank >= ranks_) return failure(Code::save_order, format("rank {} of {}", rank, ranks_));
    if (newest_ && epoch <= newest_->epoch) return std::nullopt;
    Round& round = rounds_.try_emplace(epoch, Round{step, {}}).first->second;
    if (round.step != step)
        return failure(Code::save_order, format("epoch {}: rank {} saved step {}, others step {}", epoch,
                                                rank, step, round.step));
    round.prepared.insert(rank);
    if (round.prepared.size() < ranks_) return std::nullopt;
    adopt({job_id_, incarnation, ranks_, epoch, step});
    return newest_;
}

} // namespace mscale::recovery
