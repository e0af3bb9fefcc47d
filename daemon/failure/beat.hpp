#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "daemon/failure/job_view.hpp"
#include "recovery/session_key.hpp"

namespace mscale::daemon {

/// What a mscaled tells those of a job's other nodes each timing.beat.
struct Beat {
    std::uint32_t job_id = 0;
    std::uint32_t run = 0;      ///< Slurm's restart count of the job
    std::uint64_t sequence = 0; ///< rises from beat to beat of one key
    bool farewell = false;      ///< the job has left the node: its silence means nothing
    std::string node;           ///< who beats, at most 255 bytes
    NodeProgress progress;
    bool operator==(const Beat&) const = default;
};

inline constexpr std::size_t most_beat_bytes = 512;

/// One UDP datagram.  Little-endian: magic u32, version u16, flags u16 (1: farewell), job u32, run u32, sequence u64,
/// joined u32, left u32, least and greatest step u64, signs of life u64, restored_at u64, restarts and step id u32, length u16 and
/// name of the node, MAC of all before.
std::string encode_beat(const Beat& beat, const recovery::SessionKey& key);

/// Reads what anybody may have sent: nothing of it is proven before is_signed.  bad_frame for anything that
/// encode_beat doesn't write.
Result<Beat> read_beat(std::string_view bytes);
/// True when `bytes`, which read_beat has read, were written with this key.
bool is_signed(std::string_view bytes, const recovery::SessionKey& key);

} // namespace mscale::daemon
