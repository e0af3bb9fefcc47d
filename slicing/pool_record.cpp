#include "slicing/pool_record.hpp"

#include <unistd.h>

#include "base/files.hpp"
#include "base/json.hpp"

namespace mscale::slicing {
namespace {

constexpr int format_version = 1;

Json to_json(const PoolRecord& pool)
{
    Json jobs = Json::array();
    for (const JobPages& job : pool.jobs)
        jobs.push_back({{"job", job.job_id}, {"grown", job.grown}, {"claimed", job.claimed}});
    return {{"numa", pool.numa},
            {"page_bytes", pool.page_bytes},
            {"baseline", pool.baseline},
            {"from", pool.from},
            {"to", pool.to},
            {"jobs", std::move(jobs)}};
}

PoolRecord pool_from_json(const Json& json)
{
    PoolRecord pool{json.at("numa"), json.at("page_bytes"), json.at("baseline"),
                    json.at("from"), json.at("to"),         {}};
    for (const Json& job : json.at("jobs"))
        pool.jobs.push_back({job.at("job"), job.at("grown"), job.at("claimed")});
    return pool;
}

} // namespace

std::uint64_t target_of(const PoolRecord& record)
{
    std::uint64_t target = record.baseline;
    for (const JobPages& job : record.jobs) target += job.grown;
    return target;
}

Result<std::vector<PoolRecord>> read_pools(const std::string& path)
{
    if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return std::vector<PoolRecord>();
    const auto text = read_file(path);
    if (!text) return failure(Code::ledger, text.error().text);
    const auto json = parse_json(*text, path);
    if (!json) return tl::unexpected(json.error());
    try {
        std::vector<PoolRecord> pools;
        for (const Json& pool : json->at("pools")) pools.push_back(pool_from_json(pool));
        return pools;
    } catch (const Json::exception& e) {
        return failure(Code::ledger, path + ": " + e.what());
    }
}

Result<void> write_pools(const std::string& path, const std::vector<PoolRecord>& pools)
{
    Json list = Json::array();
    for (const PoolRecord& pool : pools) list.push_back(to_json(pool));
    const Json json = {{"mscale_hugepages", format_version}, {"pools", std::move(list)}};
    const auto written = replace_file(path, json.dump(1) + "\n", 0600);
    if (!written) return failure(Code::ledger, written.error().text);
    return {};
}

} // namespace mscale::slicing
