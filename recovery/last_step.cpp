#include "recovery/last_step.hpp"

#include <algorithm>

namespace mscale::recovery {

void LastStep::announce(std::uint32_t rank, std::uint64_t step)
{
    if (found_ || rank >= ranks_) return;
    std::uint64_t& announced = announced_[rank];
    announced = std::max(announced, step);
    if (announced_.size() < ranks_) return;
    found_ = std::ranges::max_element(announced_, {}, [](const auto& entry) { return entry.second; })->second;
}

std::uint64_t LastStep::limit_of(std::uint32_t rank) const
{
    if (found_) return *found_;
    const auto announced = announced_.find(rank);
    return announced == announced_.end() ? 0 : announced->second;
}

} // namespace mscale::recovery
