#include "slicing/held_jobs.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/text.hpp"
#include "contract/ledger.hpp"
#include "slicing/hugetlbfs.hpp"
#include "slicing/pool_record.hpp"

namespace mscale::slicing {
namespace {

std::vector<PoolRecord> read_all_pools(const std::string& state)
{
    return read_pools(state + "/hugepages.json").value_or(std::vector<PoolRecord>());
}

} // namespace

std::set<std::uint32_t> list_held_jobs(const std::string& state)
{
    const auto mounted = list_huge_directories(state);
    std::set<std::uint32_t> jobs(mounted.begin(), mounted.end());
    const auto names = Root().list(contract::ledger_directory(state)).value_or(std::vector<std::string>());
    for (const std::string& name : names) {
        const auto job_id = parse_number(std::string_view(name).substr(0, name.find('.')));
        if (job_id && *job_id <= UINT32_MAX) jobs.insert(static_cast<std::uint32_t>(*job_id));
    }
    for (const PoolRecord& pool : read_all_pools(state))
        for (const JobPages& job : pool.jobs) jobs.insert(job.job_id);
    return jobs;
}

bool has_pages_to_settle(const std::string& state)
{
    return std::ranges::any_of(read_all_pools(state), [](const PoolRecord& pool) {
        return pool.jobs.empty() && pool.to > pool.baseline;
    });
}

} // namespace mscale::slicing
