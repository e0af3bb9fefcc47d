#include "daemon/charge/job_cgroup.hpp"

#include <algorithm>
#include <array>

#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::string_view unified_mount = "/sys/fs/cgroup";
constexpr std::string_view memory_mount = "/sys/fs/cgroup/memory"; // of cgroup v1
constexpr std::string_view own_part = "/mscale";
constexpr std::uint64_t no_limit = std::uint64_t{1} << 62; // what v1 writes for none is more

/// The names of the kernel's files.
struct MemoryFiles {
    std::string_view used;
    std::array<std::string_view, 2> limits;
    std::array<std::string_view, 2> droppable; ///< lines of memory.stat: file pages that no memfd holds
};
constexpr MemoryFiles unified_files = {
    "memory.current", {"memory.max", "memory.high"}, {"inactive_file", "active_file"}};
constexpr MemoryFiles v1_files = {"memory.usage_in_bytes",
                                  {"memory.limit_in_bytes", "memory.limit_in_bytes"},
                                  {"total_inactive_file", "total_active_file"}};

const MemoryFiles& files_of(const JobCgroup& cgroup)
{
    return cgroup.unified ? unified_files : v1_files;
}

/// Where Slurm keeps the job; the first is that of a Slurm built for several slurmd on a host.
std::array<JobCgroup, 4> list_places(const JobOfNode& job)
{
    const std::string scope = format("{}/system.slice", unified_mount);
    const std::string name = format("job_{}", job.job_id), user = format("uid_{}", job.uid);
    return {{{format("{}/{}_slurmstepd.scope/{}", scope, job.node, name), true},
             {format("{}/slurmstepd.scope/{}", scope, name), true},
             {format("{}/slurm_{}/{}/{}", memory_mount, job.node, user, name), false},
             {format("{}/slurm/{}/{}", memory_mount, user, name), false}}};
}

bool is_our_own(const std::string& directory)
{
    struct stat found = {};
    return lstat(directory.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid();
}

std::uint64_t read_count(const Root& root, const std::string& path)
{
    const auto text = root.read_line(path);
    return text ? parse_number(*text).value_or(0) : 0;
}

/// "max" of v2, and the greatest number of v1, are none.
std::optional<std::uint64_t> read_limit(const Root& root, const std::string& directory, const MemoryFiles& files)
{
    std::uint64_t least = no_limit;
    for (const std::string_view file : files.limits)
        if (const auto text = root.read_line(format("{}/{}", directory, file)))
            least = std::min(least, parse_number(*text).value_or(no_limit));
    return least == no_limit ? std::nullopt : std::optional(least);
}

std::uint64_t count_droppable(const Root& root, const std::string& directory, const MemoryFiles& files)
{
    const auto text = root.read(directory + "/memory.stat");
    std::uint64_t bytes = 0;
    if (!text) return bytes;
    for (const std::string_view line : split(*text, '\n')) {
        const auto words = split(line, ' ');
        if (words.size() == 2 && std::ranges::find(files.droppable, words[0]) != files.droppable.end())
            bytes += parse_number(words[1]).value_or(0);
    }
    return bytes;
}

} // namespace

std::optional<JobCgroup> find_job_cgroup(const JobOfNode& job, const Root& root)
{
    for (const JobCgroup& place : list_places(job))
        if (is_our_own(root.locate(place.directory)) &&
            root.exists(format("{}/{}", place.directory, files_of(place).used)))
            return place;
    return std::nullopt;
}

std::optional<JobMemory> read_job_memory(const JobCgroup& cgroup, const Root& root)
{
    const MemoryFiles& files = files_of(cgroup);
    const std::string_view mount = cgroup.unified ? unified_mount : memory_mount;
    std::optional<JobMemory> narrowest;
    for (std::string at = cgroup.directory; at.size() > mount.size(); at.resize(at.rfind('/'))) {
        const auto limit = read_limit(root, at, files);
        if (!limit) continue;
        const std::uint64_t used = read_count(root, format("{}/{}", at, files.used));
        const std::uint64_t droppable = count_droppable(root, at, files);
        const JobMemory memory{*limit, used > droppable ? used - droppable : 0};
        if (!narrowest || memory.room() < narrowest->room()) narrowest = memory;
    }
    return narrowest;
}

std::uint64_t read_charged(const JobCgroup& cgroup, const Root& root)
{
    return read_count(root, format("{}{}/{}", cgroup.directory, own_part, files_of(cgroup).used));
}

Result<void> enter_job_cgroup(const JobCgroup& cgroup, const Root& root)
{
    const std::string part = root.locate(cgroup.directory) + std::string(own_part);
    // Not its parents: what was the job's may be gone by now.
    if (mkdir(part.c_str(), 0755) != 0 && errno != EEXIST)
        return os_failure(Code::node_act, "making the cgroup " + part, errno);
    return write_control(part + "/cgroup.procs", "0");
}

void leave_job_cgroup(const JobCgroup& cgroup, const Root& root)
{
    const std::string directory = root.locate(cgroup.directory);
    if (rmdir((directory + std::string(own_part)).c_str()) != 0) return;
    if (rmdir(directory.c_str()) == 0 && !cgroup.unified) // v1 has a directory for each user
        rmdir(directory.substr(0, directory.rfind('/')).c_str());
}

} // namespace mscale::daemon
