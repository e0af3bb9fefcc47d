#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/handle.hpp"
#include "base/json.hpp"
#include "recovery/commit.hpp"
#include "recovery/segment.hpp"
#include "recovery/slot.hpp"

/// A double of the keeper in mscaled: one node, memory only, driven by its standard input (main.cpp).
namespace mscale::doubles {

struct Options {
    std::string socket;
    std::uint64_t data_bytes = 1 << 20;
    std::uint32_t ranks = 1;
    std::optional<std::uint64_t> every_steps, every_ms;
    std::vector<std::string> ops;
    std::uint64_t page_bytes = 4096;
};

/// The memory of one rank, and what was told about it.
struct Member {
    Fd memory;
    std::span<std::byte> bytes;
    recovery::SegmentLayout layout;
    bool joined = false; ///< in this run
    std::optional<std::uint64_t> restored;

    recovery::SegmentView view() const { return {bytes, layout}; }
};

/// What to send back: nothing, or a message and perhaps a descriptor.
struct Reply {
    std::uint32_t rank = 0;
    Json message;
    int descriptor = -1;
};

class Keeper {
public:
    explicit Keeper(Options options) : options_(std::move(options)), book_(job_id, options_.ranks) {}

    static constexpr std::uint32_t job_id = 77;

    /// What the program of `rank` said; answers may go to other ranks too.
    std::vector<Reply> take(std::uint32_t rank, const Json& message);
    /// A line of the test: "hold", "commit", "run", "degraded 1", "flip RANK SLOT BYTE", "forget",
    /// "ranks N", after which the next run has as many, "pass-again", "word EPOCH", "refuse CODE", "accept".
    void obey(const std::vector<std::string>& words);
    std::optional<std::uint64_t> last_step(std::uint32_t rank) const;

private:
    Reply join(std::uint32_t rank, const Json& message);
    Reply read(std::uint32_t rank, const Json& message);
    void end_run_for(std::uint32_t ranks);
    std::vector<Reply> restored(std::uint32_t rank, std::uint64_t epoch);
    std::vector<Reply> reject(std::uint32_t rank, std::uint64_t epoch);
    void seal(std::uint32_t rank, const Json& message);
    void prepare(std::uint32_t rank, std::uint64_t epoch, std::uint64_t step);
    void publish();
    void begin_run();
    Member& member(std::uint32_t rank, std::uint64_t state_bytes);
    recovery::Owner owner(std::uint32_t rank) const;
    std::optional<unsigned> find_slot(std::uint32_t rank, std::uint64_t epoch);
    Json describe_restore(std::uint32_t rank);
    Json choose(std::uint32_t rank);

    Options options_;
    /// What a run of another number of ranks committed last, and its memory.
    struct Left {
        recovery::CommitRecord record;
        std::map<std::uint32_t, Member> members;
    };
    std::optional<Left> left_;
    recovery::CommitBook book_;
    recovery::Incarnation run_;
    std::map<std::uint32_t, Member> members_;
    std::map<std::uint64_t, std::uint64_t> committed_; // epoch, step
    std::set<std::uint64_t> rejected_;
    std::vector<std::array<std::uint64_t, 3>> held_back_;
    std::uint64_t next_epoch_ = 1, greatest_epoch_ = 0;
    bool hold_ = false, pass_again_ = false;
    std::string refusal_;
};

} // namespace mscale::doubles
