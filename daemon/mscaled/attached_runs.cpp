#include "daemon/mscaled/attached_runs.hpp"

#include <ctime>

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::seconds attached_for{5};

std::string clock_time(std::chrono::system_clock::time_point moment)
{
    const std::time_t seconds = std::chrono::system_clock::to_time_t(moment);
    std::tm parts{};
    char text[16] = "";
    if (::localtime_r(&seconds, &parts) != nullptr) std::strftime(text, sizeof text, "%T", &parts);
    return text;
}

} // namespace

bool AttachedRuns::is_at_work(const Run& run)
{
    if (run.process.pid > 0) return is_alive(run.process);
    return std::chrono::steady_clock::now() - run.polled < attached_for;
}

Result<void> AttachedRuns::attach(std::uint32_t job_id, pid_t asker)
{
    const ProcessId process = identify_process(asker).value_or(ProcessId());
    const auto [found, added] = runs_.try_emplace(job_id, Run{process, std::chrono::system_clock::now(), {}});
    Run& run = found->second;
    if (!added && run.process != process) {
        if (is_at_work(run))
            return failure(Code::second_run, format("job {} is run by process {} (mscale run) since {}", job_id, run.process.pid,
                                                    clock_time(run.since)));
        run = {process, std::chrono::system_clock::now(), {}};
    }
    run.polled = std::chrono::steady_clock::now();
    return {};
}

bool AttachedRuns::is_attached(std::uint32_t job_id) const
{
    const auto found = runs_.find(job_id);
    return found != runs_.end() && std::chrono::steady_clock::now() - found->second.polled < attached_for;
}

} // namespace mscale::daemon
