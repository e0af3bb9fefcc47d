#include "cli/run/recovery_story.hpp"

#include <algorithm>
#include <ctime>

#include "base/text.hpp"

namespace mscale::cli {

using recovery::Phase;

std::string format_time(std::chrono::milliseconds since_1970)
{
    const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(since_1970).count();
    std::tm parts{};
    char text[32] = "";
    if (::localtime_r(&seconds, &parts) != nullptr) std::strftime(text, sizeof text, "%F %T", &parts);
    return text;
}

void RecoveryStory::begin(std::string lost, std::string how, Time lost_at, Time known_at)
{
    *this = {};
    lost_ = std::move(lost);
    how_ = std::move(how);
    lost_at_ = lost_at;
    known_at_ = known_at;
}

void RecoveryStory::launched(Time now, std::uint32_t tasks, std::optional<std::uint64_t> committed_step)
{
    launched_at_ = now;
    tasks_ = tasks;
    goes_on_from_ = committed_step;
}

void RecoveryStory::watch(const RankView& ranks, Time now)
{
    if (!launched_at_) return; // they are still those of the lost run
    if (!joined_at_ && ranks.joined >= tasks_) joined_at_ = now;
    if (!joined_at_) return;
    if (goes_on_from_ && !fetched_at_ && ranks.least_step > 0) {
        fetched_at_ = now;
        goes_on_from_ =
            std::min(*goes_on_from_, ranks.least_step); // an older snapshot may have been taken instead
    }
    if (!restored_at_ && ranks.restored_at.count() > 0)
        restored_at_ = std::max(ranks.restored_at, *joined_at_);
    if (restored_at_ && ranks.least_step > goes_on_from_.value_or(0)) first_step_at_ = now;
}

void RecoveryStory::add(recovery::Timeline& timeline, Phase phase, std::optional<Time> begin,
                        std::optional<Time> end, const std::string& what) const
{
    if (!begin || !end) return;
    const Time from = std::max(*begin - lost_at_, Time{0});
    timeline.spans.push_back({phase, from, std::max(*end - lost_at_, from), what});
}

recovery::Timeline RecoveryStory::tell(std::uint32_t job_id)
{
    recovery::Timeline timeline{job_id, lost_, format_time(lost_at_), goes_on_from_.value_or(0), {}};
    add(timeline, Phase::detect, lost_at_, known_at_, how_);
    add(timeline, Phase::fence, known_at_, fenced_at_, "the old step was ended");
    add(timeline, Phase::launch, launched_at_, joined_at_, format("{} ranks joined", tasks_));
    add(timeline, Phase::fetch, joined_at_, fetched_at_, "each rank has its snapshot in memory");
    add(timeline, Phase::restore, fetched_at_ ? fetched_at_ : joined_at_, restored_at_,
        "the programs took it");
    add(timeline, Phase::first_step, restored_at_, first_step_at_, "the slowest rank has trained");
    *this = {};
    return timeline;
}

} // namespace mscale::cli
