#include "contract/refused_file.hpp"

#include <cerrno>

#include <unistd.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::contract {
namespace {

std::string path_of(const std::string& directory, std::uint32_t job_id)
{
    return format("{}/{}.refused", directory, job_id);
}

} // namespace

Result<void> write_refused_file(const std::string& directory, std::uint32_t job_id,
                                const std::vector<Refusal>& refusals)
{
    Json json = Json::array();
    for (const auto& refusal : refusals) json.push_back(to_json(refusal));
    if (const auto made = make_directories(directory, 0700); !made) return made;
    return replace_file(path_of(directory, job_id), json.dump() + "\n", 0600);
}

Result<std::vector<Refusal>> read_refused_file(const std::string& directory, std::uint32_t job_id)
{
    const std::string path = path_of(directory, job_id);
    if (::access(path.c_str(), F_OK) != 0) return failure(Code::no_such_job, path + " isn't there");
    const auto text = read_file(path);
    if (!text) return tl::unexpected(text.error());
    const auto json = parse_json(*text, path);
    if (!json) return tl::unexpected(json.error());
    std::vector<Refusal> refusals;
    for (const auto& member : *json) {
        auto refusal = refusal_from_json(member, path);
        if (!refusal) return tl::unexpected(refusal.error());
        refusals.push_back(std::move(*refusal));
    }
    return refusals;
}

Result<void> remove_refused_file(const std::string& directory, std::uint32_t job_id)
{
    const std::string path = path_of(directory, job_id);
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return os_failure(Code::ledger, "remove " + path, errno);
}

} // namespace mscale::contract
