#include "recovery/timing.hpp"

#include <algorithm>

namespace mscale::recovery {

using namespace std::chrono_literals;

Timing derive_timing(Milliseconds detect)
{
    detect = std::clamp<Milliseconds>(detect, 150ms, 1h);
    return {.detect = detect,
            .beat = detect / 3,
            .vote = detect / 2,
            .connect = detect,
            .answer = 2 * detect,
            .fetch_stall = 2 * detect,
            .fence = 10 * detect,
            .launch = 50 * detect,
            .commit = 50 * detect,
            .pause = 100 * detect,
            .hang = 1000 * detect};
}

Milliseconds hang_limit(const Timing& timing, Milliseconds longest_step)
{
    if (longest_step <= 0ms) return timing.hang;
    return std::max<Milliseconds>(10 * std::min<Milliseconds>(longest_step, 24h), timing.pause);
}

std::vector<TimingRow> list_timing(const Timing& timing)
{
    return {{"detect", timing.detect},   {"beat", timing.beat},     {"vote", timing.vote},
            {"connect", timing.connect}, {"answer", timing.answer}, {"fetch_stall", timing.fetch_stall},
            {"fence", timing.fence},     {"launch", timing.launch}, {"commit", timing.commit},
            {"pause", timing.pause}, {"hang", timing.hang}};
}

} // namespace mscale::recovery
