// The stall of a save: bench/put [MIB] [ROUNDS].  Each round copies the same bytes by memcpy and by a whole save (open, put,
// seal) into a slot that was written before, in turn.  Prints one JSON object; exit status 1 when the median ratio passes
// the limit of the issue.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "base/json.hpp"
#include "library/save.hpp"

namespace {

using namespace mscale;

constexpr double limit = 1.15;

/// Memory as the keeper passes it: shared, and written once.
struct Segment {
    explicit Segment(std::size_t state_bytes)
        : layout(recovery::lay_out_segment(state_bytes, recovery::SegmentLayout::page))
    {
        const int memory = ::memfd_create("bench", MFD_CLOEXEC);
        if (memory < 0 || ::ftruncate(memory, static_cast<off_t>(layout.total_bytes)) != 0) std::abort();
        void* const start =
            ::mmap(nullptr, layout.total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory, 0);
        if (start == MAP_FAILED) std::abort();
        bytes = {static_cast<std::byte*>(start), layout.total_bytes};
        std::ranges::fill(bytes, std::byte{1});
    }
    recovery::SegmentView view() const { return {bytes, layout}; }

    recovery::SegmentLayout layout;
    std::span<std::byte> bytes;
};

double time_of(const std::function<void()>& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values)
{
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

void save(const Segment& segment, unsigned slot, std::uint64_t epoch, std::span<const std::byte> state)
{
    library::Save writer(segment.view(), slot, {.owner = {}, .epoch = epoch, .step = epoch});
    if (!writer.put({.name = "state"}, state) || !writer.seal()) std::abort();
}

} // namespace

int main(int count, char** words)
{
    const std::size_t bytes = std::strtoull(count > 1 ? words[1] : "256", nullptr, 10) << 20;
    const unsigned long rounds = std::strtoul(count > 2 ? words[2] : "21", nullptr, 10);
    const Segment segment(bytes);
    const std::vector<std::byte> state(bytes, std::byte{3});
    std::vector<double> copies, saves, ratios;
    for (std::uint64_t round = 0; round < rounds + 2; ++round) {
        const unsigned slot = round % 2;
        const double copy =
            time_of([&] { std::memcpy(segment.view().data(slot).data(), state.data(), bytes); });
        const double stall = time_of([&] { save(segment, slot, round + 1, state); });
        if (round < 2) continue; // the first use of each slot
        copies.push_back(copy);
        saves.push_back(stall);
        ratios.push_back(stall / copy);
    }
    const double ratio = median(ratios);
    const Json result = {{"name", "put"},     {"value", median(saves) * 1000},
                         {"unit", "ms"},      {"limit", limit},
                         {"ratio", ratio},    {"passed", ratio <= limit},
                         {"samples", rounds}, {"memcpy_ms", median(copies) * 1000},
                         {"bytes", bytes}};
    std::printf("%s\n", result.dump().c_str());
    return ratio <= limit ? 0 : 1;
}
