#include "slicing/leftovers.hpp"

#include <algorithm>
#include <csignal>
#include <set>
#include <thread>

#include <sys/syscall.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "slicing/file_lock.hpp"

namespace mscale::slicing {
namespace {

constexpr std::chrono::milliseconds patience{2000}, between_looks{10};

bool is_taken_by_another(const std::vector<ProcessEntry>& processes, const ProcessId& task)
{
    return std::ranges::any_of(processes, [&](const ProcessEntry& process) {
        return process.id.pid == task.pid && process.id.start_time != task.start_time;
    });
}

bool belongs_to(const ProcessEntry& process, const ProcessId& task)
{
    if (process.id == task) return true;
    const bool is_member = process.group == task.pid || process.session == task.pid;
    return is_member && process.id.start_time >= task.start_time;
}

} // namespace

std::vector<ProcessId> find_leftovers(const std::vector<ProcessEntry>& processes,
                                      const std::vector<contract::TaskRecord>& tasks, uid_t uid)
{
    std::set<pid_t> family;
    for (const contract::TaskRecord& task : tasks) {
        if (is_taken_by_another(processes, task.process)) continue;
        for (const ProcessEntry& process : processes)
            if (belongs_to(process, task.process)) family.insert(process.id.pid);
    }
    for (std::size_t before = 0; before != family.size();) {
        before = family.size();
        for (const ProcessEntry& process : processes)
            if (family.contains(process.parent)) family.insert(process.id.pid);
    }
    std::vector<ProcessId> found;
    for (const ProcessEntry& process : processes)
        if (process.uid == uid && family.contains(process.id.pid)) found.push_back(process.id);
    return found;
}

bool kill_process(const ProcessId& process)
{
    const Fd held(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
    return held && is_alive(process) &&
           ::syscall(SYS_pidfd_send_signal, held.number(), SIGKILL, nullptr, 0) == 0;
}

Result<void> kill_leftovers(const std::vector<contract::TaskRecord>& tasks, uid_t uid)
{
    if (tasks.empty()) return {};
    for (const auto until = Clock::now() + patience;; std::this_thread::sleep_for(between_looks)) {
        const auto left = find_leftovers(read_processes(Root()), tasks, uid);
        if (left.empty()) return {};
        std::vector<std::string> pids;
        for (const ProcessId& process : left) {
            kill_process(process);
            pids.push_back(format("{}", process.pid));
        }
        if (Clock::now() >= until)
            return failure(Code::release_incomplete,
                           format("processes {} were killed and don't go", join(pids, ", ")));
        log_line(Level::debug, format("left by the job and killed: {}", join(pids, ", ")));
    }
}

} // namespace mscale::slicing
