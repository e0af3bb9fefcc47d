#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "recovery/coding.hpp"

namespace mscale::recovery {

/// The memory that snapshots of a job take on one node.
struct RoomNeed {
    std::uint64_t segment_bytes = 0; ///< of one rank: two slots and what belongs to them
    std::uint64_t own_bytes = 0;     ///< of the node's own ranks
    std::uint64_t hosted_bytes = 0;  ///< of the copies that it holds for others
    std::uint64_t coded_bytes = 0;   ///< of the coded parts beside its own ranks
    std::uint64_t total_bytes = 0;   ///< the largest number where it doesn't fit one
    bool operator==(const RoomNeed&) const = default;
};

/// What is asked of a node: `ranks` of it with `state_bytes` each, and for each of them `copies` of others,
/// and a coded part of the scheme, in memory of `page_bytes`.
struct RoomQuestion {
    std::uint64_t state_bytes = 0;
    std::uint64_t page_bytes = 4096;
    std::uint32_t ranks = 1;
    std::uint32_t copies = 1;
    CodingScheme scheme = {}; ///< no members: nothing is coded
};

/// 2 slots x (state x (1 + copies) + coded part), for each rank.
RoomNeed count_room(const RoomQuestion& question);

/// snapshot_room, with all numbers, when the need is over what the site allows or what the node has free now.
Result<RoomNeed> admit_snapshots(const RoomQuestion& question, std::uint64_t site_limit_bytes,
                                 std::uint64_t free_bytes);

/// The memory that Slurm gave a job on a node.
struct JobRoom {
    std::uint64_t limit_bytes = 0;
    std::uint64_t used_bytes = 0;     ///< by the program, and by the snapshots that are there
    std::uint64_t promised_bytes = 0; ///< to copies of other nodes' ranks that haven't come yet
};

/// What helps where the job's own limit is too small.
inline constexpr std::string_view more_job_memory =
    "ask Slurm for more memory (--mem), or hold a smaller state per rank or fewer copies";

/// snapshot_room, with all numbers, when the need is over what the job's limit leaves.
Result<void> admit_to_job(const RoomQuestion& question, const JobRoom& room);

/// grace_too_short, with the sum, unless a step and a snapshot end within the grace that Slurm gives.
Result<void> check_grace(std::chrono::milliseconds step, std::chrono::milliseconds snapshot,
                         std::chrono::milliseconds grace);

} // namespace mscale::recovery
