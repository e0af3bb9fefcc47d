#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace mscale::recovery {

/// Where a job stands among its samples, whatever the number of ranks.  Everything is counted in samples that
/// were trained on: neither in batches, whose size changes with the ranks, nor in what loaders have fetched
/// ahead.
struct JobCursor {
    std::uint64_t step = 0;     ///< training steps done
    std::uint64_t epoch = 0;    ///< passes over the data that are complete
    std::uint64_t seed = 0;     ///< of the order of samples
    std::uint64_t samples = 0;  ///< of one epoch
    std::uint64_t consumed = 0; ///< of this epoch, by all ranks; less than `samples`
    bool operator==(const JobCursor&) const = default;
};

/// One rank's view of it, as it is saved: of each global batch of ranks x batch samples it takes the rank-th
/// part.
struct RankCursor {
    JobCursor begin; ///< where the job stood when it got this number of ranks
    std::uint32_t rank = 0;
    std::uint32_t ranks = 1;
    std::uint32_t batch = 1;   ///< samples of one rank in one step
    std::uint64_t batches = 0; ///< trained since `begin`, all of the same epoch
    bool operator==(const RankCursor&) const = default;
};

/// Places in the order of the epoch, from `begin` to before `end`.
struct SampleRange {
    std::uint64_t begin = 0, end = 0;
    bool operator==(const SampleRange&) const = default;
};

/// save_order unless all numbers are ones that a job can have.
Result<void> check_cursor(const RankCursor& cursor);

/// The samples of this rank's next batch, or of the one `ahead` of it; empty where the epoch has no more for
/// it.
SampleRange next_samples(const RankCursor& cursor, std::uint64_t ahead = 0);
/// A step was trained.  After the last of an epoch the cursor stands at the first of the next.
void finish_step(RankCursor& cursor);

/// Where the job stands by the cursors of all ranks, in any order.  reshape, with the reason, unless there is
/// one of each rank and they agree in everything: ranks that trained unequally have used samples that are no
/// beginning of the epoch.
Result<JobCursor> join_cursors(std::span<const RankCursor> cursors);
/// The cursors of `ranks` ranks that go on from there.
Result<std::vector<RankCursor>> split_cursor(const JobCursor& job, std::uint32_t ranks, std::uint32_t batch);

/// What an extent of kind cursor holds.
std::string encode_cursor(const RankCursor& cursor);
Result<RankCursor> decode_cursor(std::string_view bytes);

} // namespace mscale::recovery
