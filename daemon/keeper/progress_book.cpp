#include "daemon/keeper/progress_book.hpp"

#include <algorithm>

namespace mscale::daemon {

void ProgressBook::join(const recovery::Owner& owner)
{
    Page& page = pages_[owner.job_id];
    if (owner.incarnation < page.run) return;
    if (owner.incarnation > page.run) page = {owner.incarnation, {}};
    page.ranks[owner.rank] = {};
}

ProgressBook::Rank* ProgressBook::find(const recovery::Owner& owner)
{
    const auto page = pages_.find(owner.job_id);
    if (page == pages_.end() || page->second.run != owner.incarnation) return nullptr;
    const auto rank = page->second.ranks.find(owner.rank);
    return rank == page->second.ranks.end() ? nullptr : &rank->second;
}

void ProgressBook::reach(const recovery::Owner& owner, std::uint64_t step)
{
    Rank* const rank = find(owner);
    if (!rank) return;
    rank->signs += rank->step == step ? 1 : 0;
    rank->step = step;
}

void ProgressBook::restore(const recovery::Owner& owner, std::chrono::milliseconds now)
{
    if (Rank* rank = find(owner)) rank->restored_at = now;
}

void ProgressBook::leave(const recovery::Owner& owner)
{
    if (Rank* rank = find(owner)) rank->left = true;
}

NodeProgress ProgressBook::of(std::uint32_t job_id) const
{
    const auto page = pages_.find(job_id);
    if (page == pages_.end() || page->second.ranks.empty()) return {};
    NodeProgress progress;
    progress.run = page->second.run;
    progress.least_step = page->second.ranks.begin()->second.step;
    bool all_restored = true;
    for (const auto& [number, rank] : page->second.ranks) {
        ++progress.joined;
        progress.left += rank.left ? 1 : 0;
        progress.signs += rank.signs;
        progress.least_step = std::min(progress.least_step, rank.step);
        progress.greatest_step = std::max(progress.greatest_step, rank.step);
        progress.restored_at = std::max(progress.restored_at, rank.restored_at);
        all_restored = all_restored && rank.restored_at.count() > 0;
    }
    if (!all_restored) progress.restored_at = {};
    return progress;
}

} // namespace mscale::daemon
