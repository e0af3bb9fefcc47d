// mscale-charge: fills one memfd with pages that the kernel charges to a job.  A page belongs to the cgroup of whoever touches it
// first, and stays there when that process is gone: so mscaled starts this one for each segment, and it ends at once.
//
//     mscale-charge DIRECTORY v1|v2 BYTES          the memfd is descriptor 3
//
// Exit status: 0 done, 1 no room (why is on stderr), 3 it couldn't enter the job's cgroup and has touched nothing, 2 misuse.
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/fill_memory.hpp"
#include "base/text.hpp"
#include "daemon/charge/charge_exit.hpp"
#include "daemon/charge/job_cgroup.hpp"

namespace {

using namespace mscale;
using daemon::ChargeExit;

constexpr int memory_descriptor = 3;
constexpr std::uint64_t piece_bytes = std::uint64_t{32} << 20;
/// Left to the job's own processes: what they take meanwhile must not meet the limit because of us.
constexpr std::uint64_t spared_bytes = std::uint64_t{4} << 20;

int tell(ChargeExit status, const std::string& text)
{
    std::fprintf(stderr, "%s\n", text.c_str());
    return static_cast<int>(status);
}

/// True when the job can take so much more.  Asked before each piece, since a charge beyond the limit makes the kernel kill a
/// process of the job.
bool has_room(const daemon::JobCgroup& cgroup, std::uint64_t bytes)
{
    const auto memory = daemon::read_job_memory(cgroup);
    return !memory || memory->room() >= bytes + spared_bytes;
}

int fill(const daemon::JobCgroup& cgroup, std::uint64_t bytes)
{
    for (std::uint64_t at = 0; at < bytes; at += piece_bytes) {
        const std::uint64_t piece = std::min(piece_bytes, bytes - at);
        if (!has_room(cgroup, piece))
            return tell(ChargeExit::no_room, format("the job's memory limit was met after {}", format_bytes(at)));
        if (const auto filled = fill_memory(memory_descriptor, at, piece); !filled)
            return tell(ChargeExit::no_room, filled.error().text);
    }
    return 0;
}

} // namespace

int main(int count, char** arguments)
{
    const auto bytes = count == 4 ? parse_number(arguments[3]) : std::nullopt;
    if (!bytes) return tell(ChargeExit::misuse, "mscale-charge is started by mscaled");
    const daemon::JobCgroup cgroup{arguments[1], std::string_view(arguments[2]) == "v2"};
    // Should the limit be met all the same, it is this process that is to be killed, and none of the job's.
    (void)write_control("/proc/self/oom_score_adj", "1000");
    if (const auto entered = daemon::enter_job_cgroup(cgroup); !entered)
        return tell(ChargeExit::outside, entered.error().text);
    return fill(cgroup, *bytes);
}
