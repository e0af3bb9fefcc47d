#include "daemon/requeue/stepd_wait.hpp"

#include <filesystem>
#include <set>

#include "base/text.hpp"
#include "daemon/mscaled/processes.hpp"
#include "daemon/requeue/host_sockets.hpp"

namespace mscale::daemon {

namespace {

/// The inode numbers of the sockets that a process has open; it may end meanwhile.
void add_sockets(pid_t pid, std::set<std::uint64_t>& inodes)
{
    constexpr std::string_view prefix = "socket:[";
    std::error_code error;
    std::filesystem::directory_iterator entry(format("/proc/{}/fd", pid), error), end;
    for (; !error && entry != end; entry.increment(error)) {
        std::error_code gone;
        const std::string target = std::filesystem::read_symlink(entry->path(), gone).string();
        if (gone || !target.starts_with(prefix)) continue;
        const auto inode = parse_number(std::string_view(target).substr(prefix.size(), target.size() - prefix.size() - 1));
        if (inode) inodes.insert(*inode);
    }
}

} // namespace

std::vector<pid_t> list_stepds_of(std::uint32_t job_id)
{
    std::vector<pid_t> pids;
    for (const auto& [pid, step] : list_stepd_processes())
        if (step.job_id == job_id) pids.push_back(pid);
    return pids;
}

Result<unsigned> end_stepd_connections(std::uint32_t job_id, const NodeAddress& host)
{
    std::set<std::uint64_t> inodes;
    for (const pid_t pid : list_stepds_of(job_id)) add_sockets(pid, inodes);
    return inodes.empty() ? Result<unsigned>(0U) : end_connections(host, inodes);
}

} // namespace mscale::daemon
