#pragma once

#include <cstdint>
#include <type_traits>

namespace mscale::daemon {

/// What mscaled and mscale-holder say to each other.
enum class HolderWord : std::uint32_t {
    hold =
        1, ///< keep the descriptor that comes with it, in place of one of the same job, rank of as many and kind: done
    commit = 2, ///< keep this as the newest commit record of the job: done
    forget = 3, ///< let go of all that is held of the job: done, and the holder ends when nothing is left
    list = 4, ///< tell all: a `hold` with its descriptor for each segment, a `commit` for each job, then done
    done = 5,
    refused = 6, ///< of another version, or more than can be held
    release = 7, ///< let go of this segment: done
};

/// One packet of the socket Site.state/holder.sock (SOCK_SEQPACKET), of fixed size, in the machine's own byte order.  A holder
/// outlives the mscaled that started it, also over an upgrade: another layout gets another `version`.
struct HolderRecord {
    static constexpr std::uint32_t current_version = 0x6d730001;

    std::uint32_t version = current_version;
    HolderWord word = HolderWord::done;
    std::uint32_t job_id = 0;
    std::uint32_t uid = 0;
    std::uint32_t rank = 0;
    std::uint32_t ranks = 0;
    std::uint32_t restarts = 0; ///< with step_id: which run of the job
    std::uint32_t step_id = 0;
    std::uint32_t kind = 0;       ///< of a segment: 0 the rank's own, 1 the copy of another node's, 2 a coded part
    std::uint32_t held = 0;       ///< in `done`: how many segments and commit records are held
    std::uint64_t data_bytes = 0; ///< of a segment: what each of its slots has room for
    std::uint64_t since = 0;      ///< of a segment: when it was made, seconds since 1970
    std::uint64_t epoch = 0;      ///< of a commit
    std::uint64_t step = 0;       ///< of a commit
};
static_assert(std::is_trivially_copyable_v<HolderRecord> && sizeof(HolderRecord) == 72);

} // namespace mscale::daemon
