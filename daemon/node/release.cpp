#include "daemon/node/release.hpp"

#include <map>

#include "base/log.hpp"
#include "base/text.hpp"
#include "contract/kept_job.hpp"
#include "daemon/node/slurm.hpp"
#include "slicing/dead_route.hpp"
#include "slicing/held_jobs.hpp"
#include "slicing/hugepages.hpp"
#include "slicing/lease.hpp"
#include "slicing/route_lease.hpp"

namespace mscale::node {
namespace {

constexpr std::chrono::seconds patience{10};

/// A record that can't be read is of no run that could still begin: apply replaces it.
bool is_of_run(const slicing::Ledger& ledger, const contract::Run& run)
{
    const auto record = ledger.read();
    if (record) return contract::run_of(*record) == run;
    return record.error().code != Code::no_such_job || run == contract::Run{};
}

/// The run whose record stands now, none when there is no record; nothing when it can't be read.
std::optional<contract::Run> read_run(const contract::Site& site, std::uint32_t job_id)
{
    const auto record = contract::read_ledger(contract::ledger_directory(site.state), job_id);
    if (record) return contract::run_of(*record);
    if (record.error().code == Code::no_such_job) return contract::Run{};
    return std::nullopt;
}

Result<void> settle_pages(const contract::Site& site)
{
    auto pages = slicing::HugePages::open(Root(), site.state, slicing::Clock::now() + patience);
    if (!pages) return tl::unexpected(pages.error());
    return pages->settle();
}

Result<void> remove_stray_routes(const contract::Site& site)
{
    Result<void> done;
    for (const std::string& address : slicing::find_stray_routes(site.state)) {
        log_line(Level::info, format("an unreachable route to {} was left and is removed", address));
        if (auto removed = slicing::remove_dead_route(address); !removed) done = removed;
    }
    return done;
}

} // namespace

Result<void> release_job(std::uint32_t job_id, const std::optional<contract::Run>& run,
                         const contract::Site& site)
{
    if (!slicing::list_held_jobs(site.state).contains(job_id)) return {};
    const auto ledger = slicing::Ledger::open(contract::ledger_directory(site.state), job_id, patience);
    if (!ledger) return tl::unexpected(ledger.error());
    if (!run || is_of_run(*ledger, *run)) return slicing::release(*ledger, site);
    log_line(Level::info, format("job {}: another run of it holds this node, which is left alone", job_id));
    return {};
}

Result<void> reconcile_node(std::optional<std::set<std::uint32_t>> live, const contract::Site& site)
{
    // Before the question: what starts later is kept.
    std::map<std::uint32_t, std::optional<contract::Run>> known;
    for (const std::uint32_t job_id : slicing::list_held_jobs(site.state))
        known[job_id] = read_run(site, job_id);
    const auto kept = contract::list_kept_jobs(site.state);
    if (!live) {
        auto asked = load_live_jobs();
        if (!asked) return tl::unexpected(asked.error());
        live = std::move(*asked);
    }
    Result<void> done;
    for (const auto& [job_id, run] : known) {
        if (live->contains(job_id)) continue;
        const auto released = release_job(job_id, run, site);
        if (released)
            log_line(Level::info, format("job {} has ended: what it held is given back", job_id));
        else
            done = released;
    }
    for (const std::uint32_t job_id : kept) {
        if (live->contains(job_id)) continue;
        if (const auto removed = contract::remove_kept_job(site.state, job_id); !removed) done = removed;
    }
    for (const auto& last : {remove_stray_routes(site), settle_pages(site)})
        if (!last) done = last;
    return done;
}

} // namespace mscale::node
