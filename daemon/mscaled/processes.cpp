#include "daemon/mscaled/processes.hpp"

#include <charconv>

#include <sys/stat.h>

#include "base/files.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

std::optional<pid_t> parse_pid(std::string_view name)
{
    const auto number = parse_number(name);
    if (!number || *number > 0x7fffffff) return std::nullopt;
    return static_cast<pid_t>(*number);
}

std::optional<std::string> read_status_field(pid_t pid, std::string_view field, std::size_t column)
{
    const auto text = read_file(format("/proc/{}/status", pid));
    if (!text) return std::nullopt;
    for (const std::string_view line : split(*text, '\n')) {
        if (!line.starts_with(field)) continue;
        const auto columns = split(line, '\t');
        if (column < columns.size()) return std::string(trim(columns[column]));
    }
    return std::nullopt;
}

} // namespace

std::vector<Thread> read_threads(pid_t pid)
{
    std::vector<Thread> threads;
    const auto names = Root().list(format("/proc/{}/task", pid));
    if (!names) return threads;
    for (const std::string& name : *names) {
        const auto id = parse_pid(name);
        auto cpus = id ? read_affinity(*id) : failure(Code::node_act, "no thread");
        if (cpus) threads.push_back({*id, std::move(*cpus)});
    }
    return threads;
}

std::optional<pid_t> read_parent(pid_t pid)
{
    const auto field = read_status_field(pid, "PPid:", 1);
    const auto parent = field ? parse_pid(*field) : std::nullopt;
    if (!parent || *parent <= 0) return std::nullopt;
    return parent;
}

std::optional<uid_t> read_owner(pid_t pid)
{
    const auto field = read_status_field(pid, "Uid:", 2);
    const auto uid = field ? parse_number(*field) : std::nullopt;
    if (!uid) return std::nullopt;
    return static_cast<uid_t>(*uid);
}

std::optional<StepName> parse_stepd_title(std::string_view command_line)
{
    constexpr std::string_view prefix = "slurmstepd: [";
    const std::size_t start = command_line.find(prefix);
    if (start == std::string_view::npos || (start > 0 && command_line[start - 1] != '/')) return std::nullopt;
    const std::string_view rest = command_line.substr(start + prefix.size());
    const std::size_t dot = rest.find('.');
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos || dot > end) return std::nullopt;
    const auto job = parse_number(rest.substr(0, dot));
    if (!job || *job > UINT32_MAX) return std::nullopt;
    const std::string_view step = rest.substr(dot + 1, end - dot - 1);
    return StepName{static_cast<std::uint32_t>(*job), std::string(step.substr(0, step.find_first_of("+ ")))};
}

std::optional<StepName> read_stepd(pid_t pid)
{
    const auto command_line = read_file(format("/proc/{}/cmdline", pid));
    const auto name = command_line ? parse_stepd_title(*command_line) : std::nullopt;
    if (!name || read_owner(pid) != uid_t{0}) return std::nullopt;
    return name;
}

std::vector<std::pair<pid_t, StepName>> list_stepd_processes()
{
    std::vector<std::pair<pid_t, StepName>> stepds;
    const auto names = Root().list("/proc");
    if (!names) return stepds;
    for (const std::string& name : *names) {
        const auto pid = parse_pid(name);
        auto step = pid ? read_stepd(*pid) : std::nullopt;
        if (step) stepds.emplace_back(*pid, std::move(*step));
    }
    return stepds;
}

std::vector<StepName> list_stepds()
{
    std::vector<StepName> steps;
    for (auto& [pid, step] : list_stepd_processes()) steps.push_back(std::move(step));
    return steps;
}

} // namespace mscale::daemon
