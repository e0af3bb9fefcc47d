#include "slicing/hugepages.hpp"

#include <algorithm>

#include <unistd.h>

#include "base/text.hpp"

namespace mscale::slicing {
namespace {

constexpr std::uint64_t growth_bytes = std::uint64_t{1}
                                       << 30; ///< asked of the kernel at once: a deadline is seen between

std::uint64_t subtract(std::uint64_t from, std::uint64_t what)
{
    return from - std::min(from, what);
}

/// Temporary files of writers that were killed; under the lock there is no living one.
void remove_torn_writes(const std::string& state)
{
    for (const std::string& name : Root().list(state).value_or(std::vector<std::string>()))
        if (name.starts_with("hugepages.json.")) ::unlink((state + "/" + name).c_str());
}

/// Claims of jobs on one pool, in pages.
std::uint64_t claims_of(const PoolRecord& record)
{
    std::uint64_t claims = 0;
    for (const JobPages& job : record.jobs) claims += job.claimed;
    return claims;
}

} // namespace

HugePages::HugePages(const Root& root, std::string path, Fd lock, std::vector<PoolRecord> pools)
    : root_(root), path_(std::move(path)), lock_(std::move(lock)), pools_(std::move(pools))
{
}

Result<HugePages> HugePages::open(const Root& root, const std::string& state, Clock::time_point until)
{
    if (const auto made = make_directories(state, 0755); !made)
        return failure(Code::ledger, made.error().text);
    auto lock = lock_file(state + "/hugepages.lock", until);
    if (!lock) return tl::unexpected(lock.error());
    const std::string path = state + "/hugepages.json";
    remove_torn_writes(state);
    auto pools = read_pools(path);
    if (!pools) return tl::unexpected(pools.error());
    return HugePages(root, path, std::move(*lock), std::move(*pools));
}

PoolRecord& HugePages::record_of(const contract::PagePlan& plan)
{
    const auto found = std::ranges::find_if(pools_, [&](const PoolRecord& record) {
        return record.numa == plan.numa && record.page_bytes == plan.page_bytes;
    });
    if (found != pools_.end()) return *found;
    return pools_.emplace_back(PoolRecord{plan.numa, plan.page_bytes, 0, 0, 0, {}});
}

/// Reads the kernel's counts.  A count that no change of ours explains was set by the administrator and moves
/// the baseline.
Result<PoolCounts> HugePages::adopt(PoolRecord& record)
{
    const auto counts = kernel(record).read();
    if (!counts) return counts;
    const auto [low, high] = std::minmax(record.from, record.to);
    const bool is_at_rest = record.jobs.empty() && record.from == record.to && target_of(record) == record.to;
    if (is_at_rest)
        record.baseline = counts->persistent;
    else if (counts->persistent > high)
        record.baseline += counts->persistent - high;
    else if (counts->persistent < low)
        record.baseline = subtract(record.baseline, low - counts->persistent);
    record.from = record.to = counts->persistent;
    return counts;
}

/// Reservations have no NUMA node.  Here lie at most the claims of our jobs here and what is reserved by
/// nobody we know.
std::uint64_t HugePages::count_available(const PoolRecord& record, const PoolCounts& counts) const
{
    std::uint64_t all_claims = 0;
    for (const PoolRecord& pool : pools_)
        if (pool.page_bytes == record.page_bytes) all_claims += claims_of(pool);
    const std::uint64_t foreign = subtract(counts.reserved, all_claims);
    const std::uint64_t reserved_here = std::min(counts.reserved, claims_of(record) + foreign);
    return std::min(subtract(counts.free, reserved_here), subtract(counts.free_everywhere, counts.reserved));
}

Result<std::uint64_t> HugePages::count_missing(const contract::PagePlan& plan)
{
    PoolRecord& record = record_of(plan);
    const auto counts = adopt(record);
    if (!counts) return tl::unexpected(counts.error());
    return subtract(plan.count, count_available(record, *counts));
}

Result<void> HugePages::take(std::uint32_t job_id, const contract::PagePlan& plan, std::uint64_t missing,
                             Clock::time_point until)
{
    PoolRecord& record = record_of(plan);
    record.jobs.push_back({job_id, missing, plan.count});
    record.to = record.from + missing;
    if (auto saved = save(); !saved || missing == 0) return saved;
    auto grown = grow(record, plan, until);
    if (grown) return save();
    std::erase_if(record.jobs, [&](const JobPages& job) { return job.job_id == job_id; });
    if (const auto shrunk = shrink(record); !shrunk) return shrunk;
    return grown;
}

Result<void> HugePages::grow(PoolRecord& record, const contract::PagePlan& plan, Clock::time_point until)
{
    const KernelPool pool = kernel(record);
    const std::uint64_t step = std::max<std::uint64_t>(1, growth_bytes / record.page_bytes);
    const std::uint64_t start = record.from;
    std::uint64_t have = start;
    for (bool compacted = false; have < record.to;) {
        const std::uint64_t wanted = std::min(record.to, have + step);
        if (Clock::now() >= until)
            return failure(Code::deadline, format("growing huge pages of {} took too long: {} of {} were had",
                                                  pool.name(), have - start, record.to - start));
        const auto got = pool.resize(wanted);
        if (!got) return tl::unexpected(got.error());
        have = std::max(have, *got);
        if (*got >= wanted) continue;
        if (compacted)
            return failure(
                Code::apply_hugepages,
                format(
                    "the kernel gave {} of the {} huge pages of {} that {} pages need beside the free ones",
                    subtract(*got, start), record.to - start, pool.name(), plan.count));
        if (const auto tried = pool.compact(); !tried) return tried;
        compacted = true;
    }
    record.from = record.to;
    return {};
}

/// Never below what is in use or reserved: the kernel would only rename such pages to surplus ones.
Result<void> HugePages::shrink(PoolRecord& record)
{
    const KernelPool pool = kernel(record);
    const auto counts = pool.read();
    if (!counts) return tl::unexpected(counts.error());
    const std::uint64_t excess = subtract(counts->persistent, target_of(record));
    const std::uint64_t unused = std::min(counts->free, subtract(counts->free_everywhere, counts->reserved));
    record.from = counts->persistent;
    record.to = counts->persistent - std::min(excess, unused);
    if (const auto saved = save(); !saved) return saved;
    if (record.to == record.from) return {};
    const auto left = pool.resize(record.to);
    if (!left) return tl::unexpected(left.error());
    record.from = record.to = *left;
    return save();
}

Result<void> HugePages::give_back(std::uint32_t job_id)
{
    for (PoolRecord& record : pools_)
        std::erase_if(record.jobs, [&](const JobPages& job) { return job.job_id == job_id; });
    return settle();
}

Result<void> HugePages::settle()
{
    Result<void> done;
    for (PoolRecord& record : pools_) {
        const auto adopted = adopt(record);
        if (!adopted && done) done = tl::unexpected(adopted.error());
        if (!adopted) continue;
        const auto shrunk = shrink(record);
        if (!shrunk && done) done = shrunk;
    }
    std::erase_if(
        pools_, [](const PoolRecord& record) { return record.jobs.empty() && record.to <= record.baseline; });
    if (const auto saved = save(); !saved) return saved;
    return done;
}

std::vector<std::uint32_t> HugePages::jobs() const
{
    std::vector<std::uint32_t> ids;
    for (const PoolRecord& record : pools_)
        for (const JobPages& job : record.jobs) ids.push_back(job.job_id);
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    return ids;
}

} // namespace mscale::slicing
