#include "contract/kept_job.hpp"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::contract {
namespace {

constexpr std::string_view suffix = ".json";

std::string directory_of(const std::string& state)
{
    return state + "/again";
}

} // namespace

std::string kept_job_path(const std::string& state, std::uint32_t job_id)
{
    return format("{}/{}{}", directory_of(state), job_id, suffix);
}

Result<void> write_kept_job(const std::string& state, const KeptJob& job)
{
    if (const auto made = make_directories(directory_of(state), 0700); !made) return made;
    const Json json = {{"job", job.job_id},           {"uid", job.uid},     {"gid", job.gid},
                       {"node", job.node},            {"nodes", job.nodes}, {"earlier", job.earlier},
                       {"verified", job.verified}};
    return replace_file(kept_job_path(state, job.job_id), write_json(json) + "\n", 0600);
}

Result<KeptJob> read_kept_job(const std::string& state, std::uint32_t job_id)
{
    using Names = std::vector<std::string>;
    const std::string path = kept_job_path(state, job_id);
    if (::access(path.c_str(), F_OK) != 0) return failure(Code::no_such_job, path + " isn't there");
    const auto text = read_file(path);
    if (!text) return tl::unexpected(text.error());
    const auto json = parse_json(*text, path);
    if (!json) return tl::unexpected(json.error());
    auto verified = read_member<std::string>(*json, "verified", path);
    auto node = read_member<std::string>(*json, "node", path);
    auto nodes = read_member<Names>(*json, "nodes", path), earlier = read_member<Names>(*json, "earlier", path);
    const auto uid = read_member<std::uint32_t>(*json, "uid", path), gid = read_member<std::uint32_t>(*json, "gid", path);
    if (!verified || !node || !nodes || !earlier || !uid || !gid)
        return failure(Code::ledger, path + " lacks a member");
    return KeptJob{job_id, *uid, *gid, std::move(*node), std::move(*verified), std::move(*nodes), std::move(*earlier)};
}

Result<void> remove_kept_job(const std::string& state, std::uint32_t job_id)
{
    const std::string path = kept_job_path(state, job_id);
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return os_failure(Code::ledger, "remove " + path, errno);
}

std::vector<std::uint32_t> list_kept_jobs(const std::string& state)
{
    std::vector<std::uint32_t> jobs;
    for (const std::string& name : Root().list(directory_of(state)).value_or(std::vector<std::string>())) {
        const auto job_id = name.ends_with(suffix)
                                ? parse_number(std::string_view(name).substr(0, name.size() - suffix.size()))
                                : std::nullopt;
        if (job_id && *job_id <= UINT32_MAX) jobs.push_back(static_cast<std::uint32_t>(*job_id));
    }
    std::ranges::sort(jobs);
    return jobs;
}

} // namespace mscale::contract
