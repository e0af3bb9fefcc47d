#include "daemon/keeper/unit_cgroup.hpp"

#include "base/log.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::string_view mount = "/sys/fs/cgroup";
constexpr std::string_view holder_cgroup = "/sys/fs/cgroup/mscale-holder";

/// True when this process is in a cgroup v2 other than the root, which no unit is.
bool is_in_unit(const Root& root)
{
    const auto own = root.read_line("/proc/self/cgroup");
    if (!own || !root.exists(format("{}/cgroup.controllers", mount))) return false;
    for (const std::string_view line : split(*own, '\n'))
        if (line.starts_with("0::")) return line != "0::/";
    return false;
}

} // namespace

void leave_unit_cgroup(pid_t process, const Root& root)
{
    if (!is_in_unit(root)) return;
    const std::string directory = root.locate(holder_cgroup);
    auto moved = make_directories(directory, 0755);
    if (moved) moved = write_control(directory + "/cgroup.procs", std::to_string(process));
    if (!moved) log_error("mscale-holder stays in the cgroup of mscaled", moved.error());
}

} // namespace mscale::daemon
