#include "daemon/node/release.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/node/slurm.hpp"
#include "slicing/hugepages.hpp"
#include "slicing/hugetlbfs.hpp"
#include "slicing/lease.hpp"

namespace mscale::node {
namespace {

constexpr std::chrono::seconds patience{10};

/// Every file of a job counts, so that one which a crash left alone is found too: "12.json", "12.lock",
/// "12.tasks".
std::vector<std::uint32_t> list_known_jobs(const contract::Site& site)
{
    std::vector<std::uint32_t> jobs = slicing::list_huge_directories(site.state);
    for (const std::string& name : Root().list(site.state + "/jobs").value_or(std::vector<std::string>())) {
        const auto job_id = parse_number(std::string_view(name).substr(0, name.find('.')));
        if (job_id && *job_id <= UINT32_MAX) jobs.push_back(static_cast<std::uint32_t>(*job_id));
    }
    std::ranges::sort(jobs);
    jobs.erase(std::ranges::unique(jobs).begin(), jobs.end());
    return jobs;
}

Result<void> settle_pages(const contract::Site& site)
{
    auto pages = slicing::HugePages::open(Root(), site.state, slicing::Clock::now() + patience);
    if (!pages) return tl::unexpected(pages.error());
    return pages->settle();
}

} // namespace

Result<void> release_job(std::uint32_t job_id, const contract::Site& site)
{
    if (!std::ranges::binary_search(list_known_jobs(site), job_id)) return {};
    const auto ledger = slicing::Ledger::open(site.state + "/jobs", job_id, patience);
    if (!ledger) return tl::unexpected(ledger.error());
    return slicing::release(*ledger, site);
}

Result<void> reconcile_node(std::optional<std::set<std::uint32_t>> live, const contract::Site& site)
{
    const auto known = list_known_jobs(site); // before the question: a job that starts now is in neither list
    if (!live) {
        auto asked = load_live_jobs();
        if (!asked) return tl::unexpected(asked.error());
        live = std::move(*asked);
    }
    Result<void> done;
    for (const std::uint32_t job_id : known) {
        if (live->contains(job_id)) continue;
        const auto released = release_job(job_id, site);
        if (released)
            log_line(Level::info, format("job {} has ended: what it held is given back", job_id));
        else
            done = released;
    }
    const auto settled = settle_pages(site);
    return done ? settled : done;
}

} // namespace mscale::node
