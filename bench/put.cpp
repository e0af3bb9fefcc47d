// The stall of a save: bench/put [MIB] [ROUNDS] [RANKS].  Each round copies the same bytes by memcpy and by a whole save (open,
// put, seal) into a slot that was written before, in turn; several ranks are processes that do it at once, and the slowest
// counts, since the others wait for it.  Prints one JSON object; exit status 1 when the median ratio passes the limit of the
// issue.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
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

struct Round {
    double copy = 0, save = 0;         ///< seconds
    double copy_cpu = 0, save_cpu = 0; ///< of the processor
};

double processor_time()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// What the ranks share: a place where all wait for each other, and what each measured.
class Ranks {
public:
    Ranks(unsigned long ranks, unsigned long rounds) : ranks_(ranks)
    {
        const std::size_t bytes = sizeof(pthread_barrier_t) + ranks * rounds * sizeof(Round);
        void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) std::abort();
        barrier_ = static_cast<pthread_barrier_t*>(memory);
        rounds_ = reinterpret_cast<Round*>(barrier_ + 1);
        pthread_barrierattr_t attributes;
        pthread_barrierattr_init(&attributes);
        pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
        pthread_barrier_init(barrier_, &attributes, static_cast<unsigned>(ranks));
    }
    void wait() const { pthread_barrier_wait(barrier_); }
    Round& at(unsigned long round, unsigned long rank) const { return rounds_[round * ranks_ + rank]; }
    /// The times of the slowest rank, and the processor's of all.
    Round whole(unsigned long round) const
    {
        Round whole;
        for (unsigned long rank = 0; rank < ranks_; ++rank) {
            const Round& one = at(round, rank);
            whole.copy = std::max(whole.copy, one.copy);
            whole.save = std::max(whole.save, one.save);
            whole.copy_cpu += one.copy_cpu;
            whole.save_cpu += one.save_cpu;
        }
        return whole;
    }

private:
    unsigned long ranks_;
    pthread_barrier_t* barrier_ = nullptr;
    Round* rounds_ = nullptr;
};

void run_rank(const Ranks& ranks, unsigned long rank, std::size_t bytes, unsigned long rounds)
{
    const Segment segment(bytes);
    const std::vector<std::byte> state(bytes, std::byte{3});
    for (unsigned long round = 0; round < rounds; ++round) {
        const unsigned slot = round % 2;
        Round& measured = ranks.at(round, rank);
        ranks.wait();
        measured.copy_cpu = -processor_time();
        measured.copy = time_of([&] { std::memcpy(segment.view().data(slot).data(), state.data(), bytes); });
        measured.copy_cpu += processor_time();
        ranks.wait();
        measured.save_cpu = -processor_time();
        measured.save = time_of([&] { save(segment, slot, round + 1, state); });
        measured.save_cpu += processor_time();
    }
}

/// False when a rank failed.
bool run_ranks(const Ranks& ranks, unsigned long count, std::size_t bytes, unsigned long rounds)
{
    std::vector<pid_t> children;
    for (unsigned long rank = 0; rank < count; ++rank) {
        const pid_t child = ::fork();
        if (child == 0) {
            run_rank(ranks, rank, bytes, rounds);
            ::_exit(0);
        }
        children.push_back(child);
    }
    bool done = true;
    for (const pid_t child : children) {
        int status = 0;
        done = ::waitpid(child, &status, 0) == child && status == 0 && done;
    }
    return done;
}

} // namespace

int main(int count, char** words)
{
    constexpr unsigned long unmeasured = 2; // the first use of each slot
    const std::size_t bytes = std::strtoull(count > 1 ? words[1] : "256", nullptr, 10) << 20;
    const unsigned long rounds = std::strtoul(count > 2 ? words[2] : "21", nullptr, 10);
    const unsigned long rank_count = std::strtoul(count > 3 ? words[3] : "1", nullptr, 10);
    const Ranks ranks(rank_count, rounds + unmeasured);
    if (!run_ranks(ranks, rank_count, bytes, rounds + unmeasured)) return 2;
    std::vector<double> copies, saves, ratios, cpu_ratios;
    for (unsigned long round = unmeasured; round < rounds + unmeasured; ++round) {
        const Round whole = ranks.whole(round);
        copies.push_back(whole.copy);
        saves.push_back(whole.save);
        ratios.push_back(whole.save / whole.copy);
        cpu_ratios.push_back(whole.save_cpu / whole.copy_cpu);
    }
    const double ratio = median(ratios);
    const Json result = {{"name", rank_count > 1 ? "stall" : "put"},
                         {"value", median(saves) * 1000},
                         {"unit", "ms"},
                         {"limit", limit},
                         {"ratio", ratio},
                         {"passed", ratio <= limit},
                         {"samples", rounds},
                         {"ranks", rank_count},
                         {"cpu_ratio", median(cpu_ratios)}, // says something on a busy machine, too
                         {"memcpy_ms", median(copies) * 1000},
                         {"bytes", bytes}};
    std::printf("%s\n", result.dump().c_str());
    return ratio <= limit ? 0 : 1;
}
