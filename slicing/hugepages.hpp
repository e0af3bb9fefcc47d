#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/handle.hpp"
#include "contract/plan.hpp"
#include "slicing/file_lock.hpp"
#include "slicing/kernel_pool.hpp"
#include "slicing/pool_record.hpp"

namespace mscale::slicing {

/// The node's huge pages, locked for as long as this lives: pages are counted, grown and reserved by a mount
/// in one go, so no other job can take them in between.
class HugePages {
public:
    /// Locks STATE/hugepages.lock (Code::deadline when it isn't free at `until`) and reads
    /// STATE/hugepages.json.
    static Result<HugePages> open(const Root& root, const std::string& state, Clock::time_point until);

    /// How many pages of the plan must grow, since the free ones don't suffice.  Pages that a mount or
    /// mapping has reserved belong to others.
    Result<std::uint64_t> count_missing(const contract::PagePlan& plan);

    /// Notes the job's claim and grows the pool by `missing`; memory is compacted once when the kernel gives
    /// too little. apply_hugepages with the counts when they can't be had, deadline at `until`: then nothing
    /// is kept.
    Result<void> take(std::uint32_t job_id, const contract::PagePlan& plan, std::uint64_t missing,
                      Clock::time_point until);

    /// Drops the job's claims and gives back what grew for it.  Pages that somebody still uses stay in the
    /// pool and go with the next give_back or settle.  Twice is harmless.
    Result<void> give_back(std::uint32_t job_id);

    /// Gives back what earlier calls couldn't.
    Result<void> settle();

    /// Jobs that claim pages.
    std::vector<std::uint32_t> jobs() const;

private:
    HugePages(const Root& root, std::string path, Fd lock, std::vector<PoolRecord> pools);
    PoolRecord& record_of(const contract::PagePlan& plan);
    Result<PoolCounts> adopt(PoolRecord& record);
    Result<void> grow(PoolRecord& record, const contract::PagePlan& plan, Clock::time_point until);
    Result<void> shrink(PoolRecord& record);
    std::uint64_t count_available(const PoolRecord& record, const PoolCounts& counts) const;
    Result<void> save() const { return write_pools(path_, pools_); }
    KernelPool kernel(const PoolRecord& record) const { return {root_, record.numa, record.page_bytes}; }

    Root root_;
    std::string path_;
    Fd lock_;
    std::vector<PoolRecord> pools_;
};

} // namespace mscale::slicing
