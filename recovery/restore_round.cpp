#include "recovery/restore_round.hpp"

#include <algorithm>

namespace mscale::recovery {

void RestoreRound::offer(std::vector<CommitRecord> records, std::vector<HeldCopy> copies)
{
    offered_ = true;
    records_ = std::move(records);
    copies_ = std::move(copies);
    choose();
}

void RestoreRound::ready(std::uint32_t rank, std::uint64_t epoch)
{
    if (offered_ && rank < ranks_ && epoch == chosen_epoch()) ready_.insert(rank);
}

void RestoreRound::confirm(std::uint32_t rank, std::uint64_t epoch)
{
    if (offered_ && rank < ranks_ && epoch == chosen_epoch()) confirmed_.insert(rank);
}

void RestoreRound::drop_copy(std::uint32_t rank, std::uint64_t epoch, const std::string& node, Tier tier)
{
    const auto removed = std::erase_if(copies_, [&](const HeldCopy& copy) {
        return copy.rank == rank && copy.epoch == epoch && copy.node == node && copy.tier == tier;
    });
    if (removed > 0) choose();
}

void RestoreRound::reject(std::uint64_t epoch)
{
    const auto removed =
        std::erase_if(records_, [&](const CommitRecord& record) { return record.epoch == epoch; });
    if (removed == 0) return;
    choose();
    // Not "nothing was ever committed": a snapshot was expected.
    if (records_.empty()) choice_ = failure(Code::no_snapshot, "the program could use no committed epoch");
}

void RestoreRound::choose()
{
    ready_.clear();
    confirmed_.clear();
    if (records_.empty()) {
        choice_ = std::optional<RestoreChoice>();
        return;
    }
    auto chosen = choose_restore(records_, copies_);
    if (chosen)
        choice_ = std::optional(std::move(*chosen));
    else
        choice_ = tl::unexpected(std::move(chosen.error()));
}

std::uint64_t RestoreRound::chosen_epoch() const
{
    return choice_ && *choice_ ? (*choice_)->record.epoch : 0;
}

std::vector<std::uint32_t> RestoreRound::missing() const
{
    std::vector<std::uint32_t> missing;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
        if (!ready_.contains(rank)) missing.push_back(rank);
    return missing;
}

} // namespace mscale::recovery
