#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "contract/ledger.hpp"

namespace mscale::contract {
namespace {

constexpr std::string_view record_suffix = ".json";

template <class T> std::optional<T> number_as(std::string_view text)
{
    const auto number = parse_number(text);
    if (!number || *number > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return std::nullopt;
    return static_cast<T>(*number);
}

/// "STEP LOCAL ROLE PID START CPUS", "-" for no role and for no CPUs.
std::optional<TaskRecord> parse_task(std::string_view line)
{
    const auto words = split(line, ' ');
    if (words.size() != 6) return std::nullopt;
    const auto step = number_as<std::uint32_t>(words[0]);
    const auto local = number_as<unsigned>(words[1]);
    const auto pid = number_as<pid_t>(words[3]);
    const auto start = parse_number(words[4]);
    const auto cpus = parse_cpu_list(words[5] == "-" ? "" : words[5], true);
    if (!step || !local || !pid || !start || !cpus) return std::nullopt;
    return TaskRecord{*step, *local, std::string(words[2] == "-" ? "" : words[2]), {*pid, *start}, *cpus};
}

std::string or_dash(std::string text)
{
    return text.empty() ? "-" : text;
}

} // namespace

std::string ledger_directory(const std::string& state)
{
    return state + "/jobs";
}

Run run_of(const LedgerRecord& record)
{
    return {record.restart_count, record.started};
}

Result<LedgerRecord> read_ledger(const std::string& directory, std::uint32_t job_id)
{
    const std::string path = format("{}/{}{}", directory, job_id, record_suffix);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return failure(Code::no_such_job,
                       format("job {} holds no contract on this node ({} isn't there)", job_id, path));
    const auto text = read_file(path, ledger_limit);
    if (!text) return failure(Code::ledger, text.error().text);
    const auto json = parse_json(*text, path);
    if (!json) return failure(Code::ledger, json.error().text);
    return ledger_from_json(*json, path);
}

Result<std::vector<std::uint32_t>> list_ledgers(const std::string& directory)
{
    std::vector<std::uint32_t> jobs;
    std::error_code error;
    if (!std::filesystem::exists(directory, error)) return jobs;
    for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.ends_with(record_suffix)) continue;
        const auto job =
            number_as<std::uint32_t>(std::string_view(name).substr(0, name.size() - record_suffix.size()));
        if (job) jobs.push_back(*job);
    }
    if (error) return failure(Code::ledger, format("{}: {}", directory, error.message()));
    std::ranges::sort(jobs);
    return jobs;
}

std::string to_line(const TaskRecord& task)
{
    return format("{} {} {} {} {} {}", task.step_id, task.local_id, or_dash(task.role), task.process.pid,
                  task.process.start_time, or_dash(mscale::to_string(task.cpus)));
}

Result<std::vector<TaskRecord>> read_tasks(const std::string& directory, std::uint32_t job_id)
{
    const std::string path = format("{}/{}.tasks", directory, job_id);
    std::vector<TaskRecord> tasks;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return tasks;
    const auto text = read_file(path, ledger_limit);
    if (!text) return failure(Code::ledger, text.error().text);
    const std::string_view whole = std::string_view(*text).substr(0, text->rfind('\n') + 1);
    for (const std::string_view line : split(whole, '\n'))
        if (const auto task = parse_task(line)) tasks.push_back(*task);
    return tasks;
}

} // namespace mscale::contract
