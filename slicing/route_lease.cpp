#include "slicing/route_lease.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "slicing/dead_route.hpp"

namespace mscale::slicing {

namespace {

bool has_route(const contract::LedgerRecord& record, const std::string& address)
{
    return std::ranges::any_of(record.acts, [&](const contract::Act& act) {
        return act.kind == "route" && act.path == address;
    });
}

} // namespace

Result<void> lease_dead_route(const Ledger& ledger, const contract::Run& run, const std::string& address)
{
    auto record = ledger.read();
    if (!record) return tl::unexpected(std::move(record.error()));
    if (record->stage != contract::Stage::applied || contract::run_of(*record) != run)
        return failure(Code::no_such_job, format("job {} is leaving this node", ledger.job_id()));
    if (!has_route(*record, address)) {
        record->acts.push_back({"route", 0, 0, 0, address});
        if (auto written = ledger.write(*record); !written) return written;
    }
    return add_dead_route(address);
}

std::vector<std::string> find_stray_routes(const std::string& state)
{
    auto routes = list_dead_routes();
    if (!routes || routes->empty()) return {};
    const std::string directory = contract::ledger_directory(state);
    const auto jobs = contract::list_ledgers(directory);
    if (!jobs) return {};
    for (const std::uint32_t job_id : *jobs) {
        const auto record = contract::read_ledger(directory, job_id);
        if (!record) return {};
        std::erase_if(*routes, [&](const std::string& address) { return has_route(*record, address); });
    }
    return std::move(*routes);
}

} // namespace mscale::slicing
