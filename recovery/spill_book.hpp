#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "recovery/commit.hpp"

namespace mscale::recovery {

/// Which of a job's commits are written to files, and when all ranks of one have been: on the node that commits.  One epoch
/// at a time is written; one that failed is made up for by the next commit.  Pure; whoever takes over begins to count anew.
class SpillBook {
public:
    /// An epoch was committed: true when it is to be written, since it is the `every`-th after the last that was.
    bool commit(const CommitRecord& record, std::uint64_t every);

    /// These ranks' files of an epoch are there.  True when this completes it.
    bool written(const CommitRecord& record, const std::vector<std::uint32_t>& ranks);
    /// A node couldn't write its ranks' files.
    void failed(const CommitRecord& record);

private:
    /// A node that is gone must not hold up all later epochs.
    static constexpr std::uint64_t patience = 8; ///< times `every`

    std::uint64_t commits_ = 0; ///< since the last one that was to be written
    bool late_ = false;         ///< that one failed
    std::optional<CommitRecord> writing_;
    std::set<std::uint32_t> ranks_; ///< whose files of it are there
};

} // namespace mscale::recovery
