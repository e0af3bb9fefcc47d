#include "daemon/mscaled/seats.hpp"

namespace mscale::daemon {

Seat Seats::take(const std::string& source)
{
    const std::lock_guard guard(counts_->mutex);
    const auto found = counts_->of_source.find(source);
    const unsigned taken = found == counts_->of_source.end() ? 0 : found->second;
    if (counts_->all >= total_ || taken >= per_source_) return nullptr;
    ++counts_->all;
    counts_->of_source[source] = taken + 1;
    return {counts_.get(), [counts = counts_, source](void*) { give_back(*counts, source); }};
}

void Seats::give_back(Counts& counts, const std::string& source)
{
    const std::lock_guard guard(counts.mutex);
    --counts.all;
    const auto found = counts.of_source.find(source);
    if (--found->second == 0) counts.of_source.erase(found); // sources come without end
}

} // namespace mscale::daemon
