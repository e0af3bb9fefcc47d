#include "daemon/node/job_environment.hpp"

#include <array>
#include <cstdlib>
#include <limits>

#include <pwd.h>

#include "base/cpu_set.hpp"
#include "base/text.hpp"
#include "contract/verified.hpp"
#include "daemon/node/slurm.hpp"

namespace mscale::node {
namespace {

std::optional<std::string> read_variable(const std::string& name)
{
    const char* value = std::getenv(name.c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

Result<std::uint32_t> read_number(const std::string& name)
{
    const auto text = read_variable(name);
    const auto number = text ? parse_number(*text) : std::nullopt;
    if (number && *number <= std::numeric_limits<std::uint32_t>::max())
        return static_cast<std::uint32_t>(*number);
    return failure(Code::usage,
                   text ? format("{} is '{}' and no number", name, printable(*text)) : name + " isn't set",
                   "mscale-node is called by the SPANK plugin in Slurm's prolog and epilog");
}

Result<std::uint32_t> find_group(std::uint32_t uid)
{
    if (const auto gid = read_number("SLURM_JOB_GID")) return gid;
    std::array<char, 16384> space;
    passwd entry = {};
    passwd* found = nullptr;
    const int fault = ::getpwuid_r(uid, &entry, space.data(), space.size(), &found);
    if (found) return entry.pw_gid;
    return os_failure(Code::node_act, format("user {} isn't known on this node", uid),
                      fault ? fault : ENOENT);
}

Result<std::vector<unsigned>> read_slices()
{
    const auto text = read_variable("MSCALE_SM_SLICES");
    if (!text) return std::vector<unsigned>();
    return parse_cpu_list(*text).map([](const CpuSet& numbers) { return numbers.cpus(); });
}

std::vector<std::string> read_nodes()
{
    for (const char* name : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"})
        if (const auto text = read_variable(name)) return expand_host_list(*text);
    return {};
}

} // namespace

Result<std::uint32_t> read_job_id()
{
    return read_number("SLURM_JOB_ID");
}

Result<JobEnvironment> read_job_environment()
{
    const auto job_id = read_job_id(), uid = read_number("SLURM_JOB_UID");
    if (!job_id) return tl::unexpected(job_id.error());
    if (!uid) return tl::unexpected(uid.error());
    const auto gid = find_group(*uid);
    if (!gid) return tl::unexpected(gid.error());
    auto slices = read_slices();
    if (!slices) return tl::unexpected(slices.error());
    JobEnvironment job{*job_id, 0, *uid, *gid, read_variable("SLURMD_NODENAME").value_or(""), read_nodes(),
                       std::move(*slices), {}, false};
    job.restart_count = read_number("SLURM_RESTART_COUNT").value_or(0); // absent in a first run
    job.verified = read_variable(format("SPANK_{}", contract::verified_name));
    job.has_request = read_variable(format("SPANK_{}", contract::request_name)).has_value();
    return job;
}

} // namespace mscale::node
