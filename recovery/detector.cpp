#include "recovery/detector.hpp"

#include <algorithm>

namespace mscale::recovery {

Detector::Detector(const Timing& timing, const std::vector<std::string>& peers, Time now)
    : timing_(timing), own_beat_(now), on_time_since_(now)
{
    for (const std::string& peer : peers) heard_.try_emplace(peer, now);
}

void Detector::heard(std::string_view peer, Time now)
{
    const auto found = heard_.find(peer);
    if (found != heard_.end()) found->second = std::max(found->second, now);
}

void Detector::own_beat(Time now)
{
    if (now - own_beat_ >= 2 * timing_.beat) on_time_since_ = now;
    own_beat_ = std::max(own_beat_, now);
}

void Detector::watch(const std::string& peer, Time now)
{
    heard_.insert_or_assign(peer, now);
}

void Detector::forget(std::string_view peer)
{
    const auto found = heard_.find(peer);
    if (found != heard_.end()) heard_.erase(found);
}

bool Detector::is_on_time(Time now) const
{
    return now - own_beat_ < 2 * timing_.beat && now - on_time_since_ >= timing_.detect;
}

std::vector<std::string> Detector::silent_for(Milliseconds limit, Time now) const
{
    std::vector<std::string> silent;
    if (!is_on_time(now)) return silent;
    for (const auto& [peer, last] : heard_)
        if (now - last > limit) silent.push_back(peer);
    return silent;
}

} // namespace mscale::recovery
