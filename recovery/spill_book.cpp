#include "recovery/spill_book.hpp"

namespace mscale::recovery {

bool SpillBook::commit(const CommitRecord& record, std::uint64_t every)
{
    ++commits_;
    const bool over = !writing_ || writing_->incarnation != record.incarnation || commits_ / patience >= every;
    if (!over || (commits_ < every && !late_)) return false;
    commits_ = 0;
    late_ = false;
    writing_ = record;
    ranks_.clear();
    return true;
}

bool SpillBook::written(const CommitRecord& record, const std::vector<std::uint32_t>& ranks)
{
    if (writing_ != record) return false;
    for (const std::uint32_t rank : ranks)
        if (rank < record.ranks) ranks_.insert(rank);
    if (ranks_.size() < record.ranks) return false;
    writing_.reset();
    return true;
}

void SpillBook::failed(const CommitRecord& record)
{
    if (writing_ != record) return;
    writing_.reset();
    late_ = true;
}

} // namespace mscale::recovery
