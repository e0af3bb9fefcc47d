#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace mscale::slicing {

/// What one job has of a pool, in pages.
struct JobPages {
    std::uint32_t job_id = 0;
    std::uint64_t grown = 0;   ///< added to the pool for it
    std::uint64_t claimed = 0; ///< its promise, from grown and from free pages
    bool operator==(const JobPages&) const = default;
};

/// A pool of the kernel as mscale found and changed it.  At rest it has `baseline` plus what grew for the
/// jobs, so a change that a crash interrupted is mended by setting that sum again, however far it came.
struct PoolRecord {
    unsigned numa = 0;
    std::uint64_t page_bytes = 0;
    std::uint64_t baseline = 0;     ///< pages that aren't ours: reserved at boot or by the administrator
    std::uint64_t from = 0, to = 0; ///< the last change: a count outside of them was set by somebody else
    std::vector<JobPages> jobs;
    bool operator==(const PoolRecord&) const = default;
};

/// What the pool should have: the baseline and what grew for the jobs.
std::uint64_t target_of(const PoolRecord& record);

/// Reads the file of all pools; an absent file is no pool.
Result<std::vector<PoolRecord>> read_pools(const std::string& path);
/// Durable when it returns.
Result<void> write_pools(const std::string& path, const std::vector<PoolRecord>& pools);

} // namespace mscale::slicing
